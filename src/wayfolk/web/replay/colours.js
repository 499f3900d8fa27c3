// Colours: wheels of directions, ramps of numbers, and pixels.

import { clamp } from "./numbers.js";

export const SHADES = 48; // colours around the wheel
const LEVELS = 10; // and from pale to strong

export function tint(colours, x, y) {
  const shade = Math.round((Math.atan2(y, x) / (2 * Math.PI)) * SHADES + SHADES) % SHADES;
  return colours[shade * LEVELS + Math.min(Math.floor(Math.hypot(x, y) * LEVELS), LEVELS - 1)];
}

// All colours of a wheel of one lightness and chroma, from pale to solid: blue for east, then pink, orange for west and
// green, opposites that people with any colour vision tell apart.
export function wheel(lightness, chroma, pale, solid) {
  const colours = [];
  for (let shade = 0; shade < SHADES; shade++) {
    const hue = ((250 / 360 + shade / SHADES) % 1) * 2 * Math.PI;
    const [red, green, blue] = fromOklab(lightness, chroma * Math.cos(hue), chroma * Math.sin(hue));
    for (let level = 0; level < LEVELS; level++) {
      colours.push(`rgb(${red} ${green} ${blue} / ${(pale + ((solid - pale) * level) / (LEVELS - 1)).toFixed(3)})`);
    }
  }
  return colours;
}

// Oklab (Ottosson 2020), in which equal lightness looks equally light, to the bytes of a screen.
export function fromOklab(lightness, a, b) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((light) => {
    const byte = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
    return Math.round(255 * clamp(byte, 0, 1));
  });
}

// A colour of three bytes as a pixel, `strength` of it solid.
/** @param {number[]} colour @param {number} strength */
export function inked([red, green, blue], strength) {
  return (Math.round(255 * strength) << 24) | (blue << 16) | (green << 8) | red;
}

// 256 colours through the four given ones, from transparent to nearly solid.
export function ramp(colours) {
  const strip = new OffscreenCanvas(256, 1).getContext("2d", { willReadFrequently: true });
  const blend = strip.createLinearGradient(0, 0, 256, 0);
  colours.forEach((colour, i) => blend.addColorStop(i / (colours.length - 1), colour));
  strip.fillStyle = blend;
  strip.fillRect(0, 0, 256, 1);
  const pixels = strip.getImageData(0, 0, 256, 1).data;
  for (let i = 0; i < 256; i++) pixels[4 * i + 3] = i ? 110 + (i * 130) / 255 : 0;
  return pixels;
}
