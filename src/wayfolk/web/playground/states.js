// States: what the page is doing, as the table in states.md.

/** @type {Record<string, Record<string, string>>} */
export const TABLE = {
  connecting: { opened: "ready", closed: "offline" },
  ready: { asked: "loading", linked: "asking", closed: "offline" },
  asking: { asked: "loading", linked: "asking", closed: "offline" },
  loading: { asked: "loading", begun: "running", linked: "asking", stopped: "stopped", closed: "offline" },
  running: { paused: "paused", ended: "over", asked: "loading", linked: "asking", stopped: "stopped", closed: "offline" },
  paused: { played: "running", asked: "loading", ended: "over", linked: "asking", stopped: "stopped", closed: "offline" },
  over: { played: "running", changed: "running", asked: "loading", linked: "asking", stopped: "stopped", closed: "offline" },
  stopped: { asked: "loading", linked: "asking", closed: "offline" },
  offline: { opened: "ready" },
};

/** What the page says in a state. @type {Record<string, string>} */
export const WORDS = {
  connecting: "Connecting.",
  ready: "Ready.",
  asking: "This link brings a scene. Nothing runs yet.",
  loading: "Starting. The first use of an algorithm compiles it, which takes some seconds.",
  offline: "The server does not answer. What has happened can be watched; the page connects again by itself.",
  stopped: "",
};

export class States {
  /** @param {(state: string, before: string) => void} entered */
  constructor(entered) {
    this.now = "connecting";
    this.entered = entered;
  }

  /** Something happened; whether it matters in this state. @param {string} event */
  go(event) {
    const next = TABLE[this.now][event];
    if (!next) return false;
    const before = this.now;
    this.now = next;
    this.entered(next, before);
    return true;
  }
}
