// Numbers: bounds, searches in sorted arrays, and orders.

export function upperBound(sorted, t, low, high) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function count(values, test) {
  let n = 0;
  for (let i = 0; i < values.length; i++) if (test(values[i])) n++;
  return n;
}

// The order that sorts `keys`, equal ones staying in place: two passes of 16 bits.
export function orderBy(keys) {
  let order = Uint32Array.from(keys, (_, i) => i);
  for (const shift of [0, 16]) {
    const starts = new Uint32Array(65537);
    for (let i = 0; i < keys.length; i++) starts[((keys[i] >>> shift) & 0xffff) + 1]++;
    for (let i = 0; i < 65536; i++) starts[i + 1] += starts[i];
    const next = new Uint32Array(keys.length);
    for (const i of order) next[starts[(keys[i] >>> shift) & 0xffff]++] = i;
    order = next;
  }
  return order;
}

export function clamp(value, low, high) {
  return Math.max(low, Math.min(value, high));
}
