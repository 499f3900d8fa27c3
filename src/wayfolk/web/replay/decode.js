// The bytes that pack.py wrote, as arrays: what happened, agent by agent, each agent's rows by time.

export const NOWHERE = 0x7fffffff;

export async function inflate(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export function unpack(head, buffer) {
  const { width, height, agents, rows, changes, told } = head;
  const stride = width + 2;
  const nCells = head.nodes ? head.nodes.count : stride * (height + 2);
  let at = 0;
  const words = (n) => new Uint32Array(buffer, (at += n * 4) - n * 4, n);
  const bytes = (n) => new Uint8Array(buffer, (at += n) - n, n);

  const starts = words(agents);
  const rowsOf = words(agents);
  const changeTicks = words(changes);
  const changeCells = words(changes);
  const toldCells = words(told);
  const gaps = [0, 1, 2, 3].map(() => bytes(rows));
  const ops = bytes(rows);
  const blocks = unpackBits(bytes((changes + 7) >> 3), changes);
  const walls = unpackBits(bytes((width * height + 7) >> 3), width * height);

  const kinds = Object.fromEntries(head.kinds.map((name, number) => [name, number]));
  const offsets = head.directions.map(([dx, dy]) => dy * stride + dx);
  const somewhere = (cell) => (cell < nCells ? cell : NOWHERE);
  const first = new Uint32Array(agents + 1);
  const ticks = new Uint32Array(rows);
  const kind = new Uint8Array(rows);
  const cell = new Int32Array(rows);
  let row = 0;
  let nextTold = 0;
  for (let agent = 0; agent < agents; agent++) {
    let tick = 0;
    let here = somewhere(starts[agent]);
    first[agent] = row;
    for (const end = row + rowsOf[agent]; row < end; row++) {
      tick += gaps[0][row] + gaps[1][row] * 256 + gaps[2][row] * 65536 + gaps[3][row] * 16777216;
      ticks[row] = tick;
      const op = ops[row];
      if (op < 16) {
        kind[row] = op < 8 ? kinds.move : kinds.refused;
        cell[row] = here + offsets[op & 7];
      } else {
        kind[row] = op - 16;
        cell[row] = somewhere(toldCells[nextTold++]);
      }
      if (kind[row] === kinds.move || kind[row] === kinds.join) here = cell[row];
      else if (kind[row] === kinds.leave) here = NOWHERE;
    }
  }
  first[agents] = row;
  const begin = Int32Array.from(starts, somewhere);
  return { kinds, begin, first, ticks, kind, cell, changeTicks, changeCells, blocks, walls };
}

export function unpackBits(bytes, n) {
  const bits = new Uint8Array(n);
  for (let i = 0; i < n; i++) bits[i] = (bytes[i >> 3] >> (7 - (i & 7))) & 1;
  return bits;
}
