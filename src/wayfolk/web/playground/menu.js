// Menu: choosing what is shown, and what can be done with it besides.

import { byId } from "../replay/dom.js";
import { written } from "./docstring.js";
import { download, mapText, readScen } from "./files.js";
import { field, valueOf } from "./options.js";
import { python } from "./python.js";
import { ERRANDS, KINDS, checked, encode, fromPreset, noteOwn } from "./scene.js";

const FAMILY_NAMES = { search: "Searches", realtime: "Real-time searches", controllers: "Controllers: the next move", planners: "Planners: a whole plan", crowds: "Crowds" };
const FIRST = { search: "search/astar", agents: "controllers/pibt", crowd: "crowds/social_force" };

export class Menu {
  /**
   * @param {{ algorithms: any[], maps: any[], scenes: any[], tour: number[] }} offers
   * @param {any} app  has the scene, and `start`, `edit`, `export` and `say`
   */
  constructor(offers, app) {
    this.offers = offers;
    this.app = app;
    this.stop = -1;
    this.byId = new Map(offers.algorithms.map((each) => [`${each.family}/${each.name}`, each]));
    fill("preset", [["", "Choose a scene"], ...offers.scenes.map((each, i) => [String(i), each.name])]);
    fill("kind", Object.entries(KINDS));
    fill("errand", Object.entries(ERRANDS));
    on("preset", "change", () => byId("preset").value !== "" && this.usePreset(Number(byId("preset").value)));
    on("kind", "change", () => this.changeKind(byId("kind").value));
    on("map", "change", () => this.set({ map: { name: byId("map").value }, start: null, goal: null, journeys: [], street: null, world: "" }));
    on("algorithm-0", "change", () => this.changeAlgorithm(0, byId("algorithm-0").value));
    on("algorithm-1", "change", () => this.changeAlgorithm(1, byId("algorithm-1").value));
    on("agents", "change", () => this.set({ agents: Math.max(1, Math.min(10000, Math.round(Number(byId("agents").value) || 1))), journeys: [] }));
    on("errand", "change", () => this.set({ errand: byId("errand").value }));
    on("moves", "change", () => this.set({ moves: byId("moves").value }));
    on("start", "click", () => app.start());
    on("options", "click", () => this.showOptions());
    on("explain", "click", () => this.explain());
    on("python", "click", () => this.showPython());
    on("share", "click", () => this.share());
    on("save", "change", () => this.save(byId("save").value));
    on("file", "change", async (event) => {
      await this.openFiles(event.target.files);
      event.target.value = ""; // so that the same file can be opened again
    });
    on("tour", "click", () => this.visit(0));
    on("tour-next", "click", () => this.visit(this.stop + 1));
    on("tour-back", "click", () => this.visit(this.stop - 1));
    on("tour-end", "click", () => this.visit(-1));
    on("settings", "close", () => this.useOptions(byId("settings").returnValue));
    on("lines", "close", () => byId("lines").returnValue === "copy" && copy(byId("lines").querySelector("pre").textContent));
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea");
      if (event.key.toLowerCase() === "i" && !isTyping && !document.querySelector("dialog[open]") && !event.ctrlKey && !event.metaKey) this.explain();
    });
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("dropping");
      this.openFiles(event.dataTransfer?.files);
    });
  }

  /** The entry of the catalogue of the algorithm in a panel. @param {number} [panel] */
  entry(panel = 0) {
    return this.byId.get(this.app.scene.algorithms[panel]?.name);
  }

  /** Change the scene, and begin it. @param {any} change */
  set(change) {
    Object.assign(this.app.scene, change);
    this.app.start();
  }

  usePreset(i) {
    this.app.scene = fromPreset(this.offers.scenes[i]);
    this.app.start(this.offers.scenes[i].about, this.offers.scenes[i].show);
  }

  changeKind(kind) {
    this.set({ kind, algorithms: [{ name: FIRST[kind], options: {} }], journeys: [], street: null, world: "" });
  }

  changeAlgorithm(panel, name) {
    const { algorithms } = this.app.scene;
    if (!name) algorithms.splice(panel, 1);
    else algorithms[panel] = { name, options: {} };
    this.set({});
  }

  /** Show the scene in the fields. */
  update() {
    const { scene } = this.app;
    document.body.dataset.kind = scene.kind;
    document.body.classList.toggle("street", scene.kind === "crowd" && Boolean(scene.street));
    byId("kind").value = scene.kind;
    byId("errand").value = scene.errand;
    byId("moves").value = scene.moves;
    byId("agents").value = String(scene.journeys.length || scene.agents);
    const isDrawn = Boolean(scene.map.walls);
    const maps = this.offers.maps.map(({ name, notes }) => [name, `${name}: ${notes}`]);
    fill("map", isDrawn ? [[" drawn", scene.map.name ? `${scene.map.name} (changed)` : "your own"], ...maps] : maps);
    byId("map").value = isDrawn ? " drawn" : scene.map.name;
    if (scene.world) {
      byId("map").prepend(new Option(scene.world, " world"));
      byId("map").value = " world";
    }
    for (const panel of [0, 1]) {
      this.fillAlgorithms(`algorithm-${panel}`, scene.kind, panel === 1, Boolean(scene.world));
      byId(`algorithm-${panel}`).value = scene.algorithms[panel]?.name ?? "";
    }
    const isSame = (each) => (each.scene.world ?? "") === scene.world && each.scene.map.name === scene.map.name && Boolean(each.scene.street) === Boolean(scene.street);
    const named = (algorithms) => algorithms.map((each) => each.name ?? each).join();
    const same = this.offers.scenes.findIndex((each) => isSame(each) && named(each.algorithms) === named(scene.algorithms));
    byId("preset").value = same >= 0 && !isDrawn ? String(same) : "";
  }

  // In a world that is no plain map, controllers for any body are offered.
  fillAlgorithms(id, kind, hasNone, isOfNodes) {
    const shown = isOfNodes ? `${kind} of nodes` : kind;
    if (byId(id).dataset.kind === shown) return;
    byId(id).dataset.kind = shown;
    const groups = new Map();
    for (const [key, each] of this.byId) {
      if (each.kind !== kind || (isOfNodes && (each.worlds !== "any" || each.family !== "controllers"))) continue;
      const group = groups.get(each.family) ?? groups.set(each.family, document.createElement("optgroup")).get(each.family);
      group.label = FAMILY_NAMES[each.family];
      group.append(new Option(each.label, key));
    }
    byId(id).replaceChildren(...(hasNone ? [new Option("nothing", "")] : []), ...groups.values());
  }

  // --- options

  showOptions() {
    const entry = this.entry();
    if (!entry) return;
    const given = this.app.scene.algorithms[0].options;
    byId("settings").querySelector("h2").textContent = `Options of ${entry.label}`;
    const rows = entry.options.map((option) => {
      const label = document.createElement("label");
      const name = document.createElement("span");
      name.textContent = option.name;
      const note = document.createElement("small");
      note.textContent = [option.meaning, option.range ? `${option.range}.` : "", `Default: ${option.default}.`].filter(Boolean).join(" ");
      label.append(name, field(option, given[option.name] ?? option.default), note);
      return label;
    });
    if (!rows.length) rows.push(Object.assign(document.createElement("p"), { textContent: "It has no options." }));
    byId("settings").querySelector(".list").replaceChildren(...rows);
    byId("settings").returnValue = "";
    byId("settings").showModal();
  }

  useOptions(answer) {
    const entry = this.entry();
    if (!answer || !entry) return;
    const options = {};
    for (const option of answer === "use" ? entry.options : []) {
      const value = valueOf(byId("settings").querySelector(`[name="${CSS.escape(option.name)}"]`), option);
      if (value !== option.default) options[option.name] = value;
    }
    this.app.scene.algorithms[0].options = options;
    this.app.edit({ do: "options", options }, 0);
    this.app.keep();
  }

  // --- words

  explain() {
    const entry = this.entry();
    if (!entry) return;
    const box = byId("about");
    box.querySelector("h2").textContent = entry.label;
    const promises = [FAMILY_NAMES[entry.family], ...entry.promises, entry.paper].filter(Boolean);
    box.querySelector(".promises").replaceChildren(...promises.map((text) => Object.assign(document.createElement("span"), { textContent: text })));
    box.querySelector(".text").replaceChildren(...written(entry.text));
    box.showModal();
  }

  showPython() {
    byId("lines").querySelector("pre").textContent = python(this.app.sceneNow(), this.entry());
    byId("lines").returnValue = "";
    byId("lines").showModal();
  }

  /** The stops of the tour; -1 ends it. @param {number} stop */
  visit(stop) {
    const { tour, scenes } = this.offers;
    this.stop = stop >= 0 && stop < tour.length ? stop : -1;
    byId("stop").hidden = this.stop < 0;
    if (this.stop < 0) return;
    const { name, about } = scenes[tour[stop]];
    byId("stop").querySelector("h2").textContent = `${stop + 1} of ${tour.length}: ${name}`;
    byId("stop").querySelector("p").textContent = about;
    byId("tour-back").disabled = stop === 0;
    byId("tour-next").textContent = stop === tour.length - 1 ? "Finish" : "Next stop";
    this.usePreset(tour[stop]);
  }

  // --- bring and share

  async share() {
    const url = new URL(location.href);
    url.search = "";
    url.hash = await encode(this.app.sceneNow());
    history.replaceState(null, "", url);
    noteOwn(url.hash.slice(1));
    this.app.say((await copy(url.href)) ? "The link to this scene is copied." : "The link to this scene is in the address bar.");
  }

  save(what) {
    byId("save").value = "";
    if (what === "scene") download("scene.json", JSON.stringify(this.app.sceneNow()));
    else if (what === "map") download(`${this.app.scene.map.name || "drawn"}.map`, mapText(this.app.stage.panels[0]?.timeline));
    else if (what) this.app.export(what);
  }

  /** @param {FileList | undefined | null} files */
  async openFiles(files) {
    for (const file of files ?? []) {
      try {
        if (file.name.endsWith(".json")) this.app.scene = checked(JSON.parse(await file.text()));
        else if (file.name.endsWith(".scen")) Object.assign(this.app.scene, readScen(await file.text(), this.app.scene));
        else {
          const answer = await fetch(`/api/read?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
          const read = await answer.json();
          if (!answer.ok) throw new Error(read.why);
          Object.assign(this.app.scene, read); // a whole scene, or another map for this one
        }
        this.app.start();
      } catch (error) {
        this.app.say(`${file.name}: ${error.message}`);
      }
    }
  }
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function fill(id, pairs) {
  byId(id).replaceChildren(...pairs.map(([value, text]) => new Option(text, value)));
}

function on(id, event, act) {
  byId(id).addEventListener(event, act);
}
