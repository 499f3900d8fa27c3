// Python: the lines that do in the library what the page shows.

const MOST_WRITTEN = 12; // agents whose places are written out
const CROWD_CELL = 0.5; // metres of a cell on which bodies walk
const CROWD_RADIUS = 0.2;

/** The lines of Python that do the same. @param {any} scene @param {any} algorithm  its entry in the catalogue */
export function python(scene, algorithm) {
  const { name, options } = scene.algorithms[0];
  const short = name.split("/").pop();
  const given = Object.entries(options).map(([key, value]) => `, ${key}=${toPython(value)}`).join("");
  const lines = ["import wayfolk as wf"];
  if (scene.kind === "crowd" && scene.street) return [...lines, ...streetLines(scene, short, given)].join("\n");
  if (scene.world) return [...lines, ...worldLines(scene, short, given)].join("\n");
  lines.push("", ...gridLines(scene));
  if (scene.kind === "search") {
    const ends = [scene.start, scene.goal].map((at) => `(${(at ?? [0, 0]).join(", ")})`).join(", ");
    lines.push(`result = wf.find_path(grid, ${ends}, "${short}"${given})`, "print(result.status, result.cost, result.expanded)");
    lines.push(`wf.search_page(grid, ${ends}, "${short}").save("search.html")`);
  } else if (scene.kind === "crowd") lines.push(...crowdLines(scene, short, given, algorithm));
  else lines.push(...agentLines(scene, short, given, algorithm));
  return lines.join("\n");
}

function worldLines({ world, agents, errand, seed }, short, given) {
  const lines = ["from wayfolk.playground.node_worlds import WORLDS", "", `make, kinds = WORLDS["${world}"]`];
  if (errand === "tasks") lines.push(`problem = wf.tasks(make(), ${agents}, seed=${seed}, bodies=kinds[0])`);
  else {
    lines.push(`bodies = [kinds[agent % len(kinds)] for agent in range(${agents})]`);
    const made = errand === "patrol" ? `patrol(make(), ${agents}, loops=20` : `random_problem(make(), ${agents}`;
    lines.push(`problem = wf.${made}, seed=${seed}, bodies=bodies)`);
  }
  const until = errand === "one_shot" ? "" : ", until=1000";
  return [...lines, `run = wf.simulate(problem, "${short}", seed=${seed}${until}${given})`, 'run.save_replay("replay.html")'];
}

function gridLines({ map, moves }) {
  const paper = /^jansen-[abcd]$/.exec(map.walls ? "" : map.name);
  if (paper) return [`grid = wf.paper_map("${paper[0]}").grid`];
  const lines = [`grid = wf.read_map("${map.name || "drawn"}.map", "${moves}")  # saved by "Save: the map"`];
  if (!map.terrain) return lines;
  const quarters = Uint8Array.from(atob(map.terrain), (letter) => letter.charCodeAt(0));
  lines.push("costs = grid.free * 0 + 1.0");
  for (const cost of new Set(quarters)) {
    if (cost === 4) continue;
    const cells = [...quarters.keys()].filter((index) => quarters[index] === cost);
    const [down, across] = [cells.map((index) => Math.floor(index / map.width)), cells.map((index) => index % map.width)];
    lines.push(`costs[[${down.join(", ")}], [${across.join(", ")}]] = ${cost / 4}`);
  }
  return [...lines, `grid = wf.Grid(grid.free, "${moves}", costs=costs)`];
}

function agentLines(scene, short, given, algorithm) {
  const { journeys, errand, agents, seed } = scene;
  const paper = /^jansen-[abcd]$/.exec(scene.map.walls ? "" : scene.map.name);
  const lines = [];
  if (journeys.length && journeys.length <= MOST_WRITTEN) {
    lines.push(`starts = [${journeys.map(([x, y]) => `(${x}, ${y})`).join(", ")}]`);
    lines.push(`goals = [${journeys.map(([, , x, y]) => `(${x}, ${y})`).join(", ")}]`, "problem = wf.one_shot(grid, starts, goals)");
  } else if (errand === "one_shot") {
    lines.push(`starts, goals = wf.generate.draw_pairs(grid, ${agents}, seed=${seed})`);
    lines.push("problem = wf.one_shot(grid, grid.places(starts), grid.places(goals))");
  } else if (paper && errand === "patrol") lines.push(`problem = wf.paper_problem("${paper[0]}", agents=${agents}, seed=${seed})`);
  else lines.push(`problem = wf.${errand}(grid, ${agents}, seed=${seed})`);
  if (algorithm?.family === "planners") {
    return [...lines, `result = wf.solve(problem, "${short}", seconds=10${given})`, "assert not wf.check(result.plan, problem)", 'result.plan.save("plan.json")'];
  }
  return [...lines, `run = wf.simulate(problem, "${short}", until=500${given})`, "print(run.collisions)", 'run.save_replay("replay.html")'];
}

function crowdLines({ journeys, agents, seed }, short, given, algorithm) {
  const lines = [];
  if (journeys.length && journeys.length <= MOST_WRITTEN) {
    lines.push("import numpy as np", `places = np.array([${journeys.map((each) => `[${each.join(", ")}]`).join(", ")}])`);
    lines.push("starts, goals = places[:, :2], places[:, 2:]");
  } else lines.push(`starts, goals = map(grid.places, wf.generate.draw_pairs(grid, ${agents}, seed=${seed}))`);
  lines.push(`crowd = wf.Crowd(grid, "${short}", cell=${CROWD_CELL}, ways="flow", leave=True, seed=${seed}${given})`);
  lines.push(`crowd.add((starts + 0.5) * ${CROWD_CELL}, (goals + 0.5) * ${CROWD_CELL}, radius=${CROWD_RADIUS})`);
  return [...lines, ...shownLines(algorithm?.label ?? short, "crowd.run(60)")];
}

function streetLines({ street, seed }, short, given) {
  const title = (brain) => brain[0].toUpperCase() + brain.slice(1);
  const settings = (values) => Object.entries(values ?? {}).map(([key, value]) => `${key}=${value}`).join(", ");
  const brains = street.coming.map(({ brain }) => brain);
  const lines = ["from wayfolk.crowds.street import Spawn, Street, read_street_map"];
  for (const brain of new Set([...brains, "signal"])) lines.push(`from wayfolk.crowds.brains.built_in.${brain} import ${title(brain)}`);
  lines.push("", `street_map = read_street_map("""\n${street.drawing.trim()}\n""", cell=${street.cell})`, "coming = [");
  for (const { brain, rate, speed, radius, settings: own } of street.coming) {
    const more = [["speed", speed], ["radius", radius]].filter(([, value]) => value).map(([key, value]) => `, ${key}=${value}`).join("");
    const drives = ["car", "bus"].includes(brain) ? ", is_vehicle=True" : "";
    lines.push(`    Spawn(${title(brain)}(${settings(own)}), rate=${rate}${drives}${more}),`);
  }
  lines.push("]", `signals = {k: Signal(${settings(street.signal)}) for k in range(street_map.n_crossings)}`);
  lines.push(`street = Street(street_map, coming, signals=signals, model="${short}", seed=${seed}${given})`);
  return [...lines, ...shownLines("The street", "street.run(60)")];
}

function shownLines(title, run) {
  return ["from wayfolk.replay import Track", `wf.write_replay([Track("${title}", ${run})], "crowd.html", "${title}")`];
}

function toPython(value) {
  if (value === true) return "True";
  if (value === false) return "False";
  return value === null ? "None" : JSON.stringify(value);
}
