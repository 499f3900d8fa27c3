// WorldImage: the picture of a world that is no square grid, in the colours of the page, drawn below the agents.

export class WorldImage {
  // `changed` is called when the picture can be drawn.
  constructor(picture, changed) {
    this.picture = picture;
    this.changed = changed;
    /** @type {HTMLImageElement | null} */
    this.image = null;
    this.isReady = false;
  }

  // The colours of the picture become those of `theme`.
  dress(theme) {
    const { svg, hues } = this.picture;
    const names = Object.fromEntries(Object.entries(hues).map(([name, colour]) => [colour, name]));
    const [red, green, blue] = theme.tones.blue;
    const colours = { ...theme, "tone-blue": `rgb(${red},${green},${blue})` };
    const text = svg.replace(/#[0-9a-f]{6}\b/g, (colour) => colours[names[colour]] ?? colour);
    this.isReady = false;
    const image = new Image();
    image.onload = () => {
      if (image !== this.image) return; // another theme came in between
      this.isReady = true;
      this.changed();
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    this.image = image;
  }

  draw(brush, view) {
    const [[x, y], [wide, high]] = [this.picture.at, this.picture.size];
    if (this.isReady) brush.drawImage(this.image, view.screenX(x), view.screenY(y), wide * view.scale, high * view.scale);
  }
}
