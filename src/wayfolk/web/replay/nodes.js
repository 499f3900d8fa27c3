// Nodes: where agents can be if they are no points on a grid, from what node_rows.py wrote: where each node is drawn, which
// heading a body has there, how bodies look, and the picture of the world. Lengths are cells of the panel.

import { inflate } from "./decode.js";

const ARRIVING = 0.5; // the share of a move to another level at which an agent is seen there

/** @typedef {{ side: number, radius: number, turns: boolean, name: string }} Shape */

export class Nodes {
  /** @param {any} head @param {ArrayBuffer} buffer */
  constructor({ count, names, shapes, kindOf, picture, outlines, edits }, buffer) {
    this.count = count;
    this.names = names;
    /** @type {Shape[]} */
    this.shapes = shapes.map(([side, radius, turns, name]) => ({ side, radius, turns, name }));
    this.kindOf = kindOf;
    this.picture = picture ?? null;
    this.outlines = outlines ?? [];
    this.edits = edits ?? [];
    this.x = new Float32Array(buffer, 0, count);
    this.y = new Float32Array(buffer, 4 * count, count);
    this.stand = new Uint32Array(buffer, 8 * count, count);
    this.level = new Uint16Array(buffer, 12 * count, count);
    this.heading = new Uint8Array(buffer, 14 * count, count);
  }

  // The shape of an agent's body.
  /** @param {number} agent @returns {Shape} */
  shape(agent) {
    return this.shapes[this.kindOf[agent] ?? 0];
  }

  // The outlines that were closed or opened until `t`, each with whether it is closed then.
  editedAt(t) {
    const states = new Map();
    for (const [time, outline, isClosed] of this.edits) if (time <= t) states.set(outline, isClosed);
    return [...states].map(([outline, isClosed]) => ({ corners: this.outlines[outline], isClosed: isClosed === 1 }));
  }

  // The place at `part` of the way between two nodes, into `out`; nobody is seen between two levels.
  between(from, to, part, out) {
    if (this.level[from] !== this.level[to]) part = part < ARRIVING ? 0 : 1;
    out.x = this.x[from] + part * (this.x[to] - this.x[from]);
    out.y = this.y[from] + part * (this.y[to] - this.y[from]);
  }

  // Radians clockwise from east at `part` of the way between two nodes: a body turns the shorter way around.
  turned(from, to, part) {
    const turn = ((this.heading[to] - this.heading[from] + 384) % 256) - 128;
    return ((this.heading[from] + part * turn) * Math.PI) / 128;
  }
}

export async function openNodes(head) {
  return head.nodes ? new Nodes(head.nodes, await inflate(head.nodes.body)) : null;
}
