// Link: the WebSocket to the server. It connects again by itself, later and later.

/** @typedef {{ opened: () => void, closed: (why: string) => void, told: (message: any) => void, frame: (buffer: ArrayBuffer) => void }} Ears */

const FIRST_WAIT = 500; // milliseconds
const LONGEST_WAIT = 8000;

export class Link {
  /** @param {Ears} ears */
  constructor(ears) {
    this.ears = ears;
    this.wait = FIRST_WAIT;
    this.connect();
  }

  connect() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.ears.opened();
    };
    socket.onmessage = ({ data }) => (typeof data === "string" ? this.ears.told(JSON.parse(data)) : this.ears.frame(data));
    socket.onclose = ({ reason }) => {
      this.ears.closed(reason);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** @param {object} message */
  send(message) {
    if (this.isOpen) this.socket.send(JSON.stringify(message));
  }
}
