// The playground, opened.

import { App } from "./app.js";
import { inspection } from "./inspection.js";

const app = new App();
Object.assign(window, { wayfolk: inspection(app) });
app.open().catch((error) => app.say(`The playground could not be opened: ${error.message}.`));
