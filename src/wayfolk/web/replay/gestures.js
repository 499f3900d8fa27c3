// Gestures: what the pointer does to the map in a canvas.

import { clamp } from "./numbers.js";

// Drag pans, wheel and pinch zoom, double click resets, click chooses. `act` gets what to do to a view; `hover`, if it is
// given, gets the pixel under the pointer, and NaN when it leaves. `grab`, if it is given, is asked whether there is something
// at a pixel that can be dragged; if so, it returns what to do with the pixels while it is dragged and when it is dropped.
export function handle(canvas, view, { act, choose, hover, grab }) {
  const fingers = new Map();
  let held = null;
  let travelled = 0;
  const ratio = () => canvas.width / canvas.clientWidth;
  const where = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * ratio(), (event.clientY - box.top) * ratio()];
  };

  canvas.addEventListener(
    "wheel",
    (event) => {
      if (event.deltaY > 0 && view.zoom <= 1) return; // let the page scroll
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      const [px, py] = where(event);
      act((other) => other.zoomBy(Math.exp(-clamp(event.deltaY * lines, -120, 120) * 0.0022), px, py));
    },
    { passive: false },
  );
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    if (!fingers.size) travelled = 0;
    held = grab && !fingers.size ? grab(...where(event)) : null;
    fingers.set(event.pointerId, where(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = where(event);
    const others = [...fingers.entries()].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    fingers.set(event.pointerId, now);
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    travelled += Math.hypot(dx, dy) / ratio();
    if (held) {
      held.move(...now);
      return;
    }
    if (travelled < 4) return;
    if (others.length) {
      const apart = (place) => Math.max(1, Math.hypot(place[0] - others[0][0], place[1] - others[0][1]));
      const factor = apart(now) / apart(before);
      act((other) => other.zoomBy(factor, (now[0] + others[0][0]) / 2, (now[1] + others[0][1]) / 2));
    } else act((other) => other.panBy(dx, dy), true);
  });
  if (hover) {
    canvas.addEventListener("pointermove", (event) => event.pointerType === "mouse" && hover(...where(event)));
    canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hover(NaN, NaN));
  }
  const lift = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    if (held) {
      const isTap = travelled < 4;
      const isDone = held.drop(...where(event), isTap);
      held = null;
      if (isDone || !isTap) return;
    }
    if (event.type === "pointerup" && travelled < 4 && !fingers.size) choose(...where(event));
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("dblclick", () => act((other) => other.reset()));
}
