// Link: the WebSocket to the server. It connects again by itself, later and later.

import { problemOf } from "./check.js";

/**
 * What the page does when something has come.
 * @typedef {{ opened: () => void, closed: (why: string) => void, answer: (answer: import("./messages.js").Answer) => void,
 *   frame: (buffer: ArrayBuffer) => void, broken: (why: string) => void }} Listener
 */

const FIRST_WAIT = 500; // milliseconds
const LONGEST_WAIT = 8000;

export class Link {
  /** @param {Listener} listener */
  constructor(listener) {
    this.listener = listener;
    this.wait = FIRST_WAIT;
    this.connect();
  }

  connect() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listener.opened();
    };
    socket.onmessage = ({ data }) => (typeof data === "string" ? this.hear(JSON.parse(data)) : this.listener.frame(data));
    socket.onclose = ({ reason }) => {
      this.listener.closed(reason);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** @param {any} message  from the server: an answer, if it is as the table says */
  hear(message) {
    const problem = problemOf("answers", message);
    if (problem) this.listener.broken(`the server has sent something wrong: ${problem}`);
    else this.listener.answer(message);
  }

  /** @param {import("./messages.js").Request} request */
  send(request) {
    const problem = problemOf("requests", request);
    if (problem) this.listener.broken(problem);
    else if (this.isOpen) this.socket.send(JSON.stringify(request));
  }
}
