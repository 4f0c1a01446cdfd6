// Answers questions with the board's own script: a JSON object a line in, one a line out.
// Usage: node with_board.js SCRIPT < QUESTIONS.  A question has a request, and perhaps labels to judge.
"use strict";
const fs = require("node:fs");
const vm = require("node:vm");
const readline = require("node:readline");

vm.runInThisContext(fs.readFileSync(process.argv[2], "utf8"), { filename: "board.js" });

// As much of a page as the form needs to be filled in and read again.
const parts = {};
function part() {
  const children = [];
  return {
    value: "", textContent: "", children, querySelector: () => null, append: (one) => children.push(one),
    get lastElementChild() { return { remove: () => children.pop() }; },
    content: { firstElementChild: { cloneNode: part } },
  };
}
globalThis.document = { getElementById: (id) => (parts[id] ??= part()) };

// The request as it comes through a door: a file, a link that the page made, or its form.
const DOORS = {
  file: (data) => requestOf(data).request,
  link: (data) => requestOf(JSON.parse(JSON.stringify(dataOf(requestOf(data).request)))).request,
  form: (data) => {
    for (const each of Object.values(parts)) each.value = "";
    fill(data);
    return askedInForm();
  },
};

function answered(question) {
  if ("paste" in question) return pasted(question.paste);
  const problem = build(DOORS[question.door ?? "file"](question.request));
  if (question.splits) {
    const blockLabels = (labels) => problem.blocks.map((block) => labels[block.players[0]]);
    return { judged: question.splits.map((labels) => OBJECTIVES_OF(problem, question, blockLabels(labels))) };
  }
  const { status, labels } = solve(problem, question.keep || 1);
  const players = (split) => problem.blockOf.map((block) => split[block]);
  const values = labels.map((split) => judge(problem, split).value);
  return { status, values, splits: labels.map(players), broken: labels.map((split) => violation(problem, split)) };
}

function OBJECTIVES_OF(problem, question, labels) {
  const all = {};
  for (const objective of question.objectives) {
    const own = objective === problem.request.objective ? problem :
      build(requestOf({ ...question.request, objective }).request);
    const said = judge(own, labels, objective);
    all[objective] = { value: said.value, chances: said.chances };
  }
  return all;
}

/** What kind of error something is: the names of the script's own classes are short once it is minified. */
function nameOf(error) {
  const own = Object.entries({ AmbiguousFault, Contradiction }).find(([, kind]) => error instanceof kind);
  return own ? own[0] : error.constructor.name;
}

function pasted(paste) {
  try {
    return { gives: readPaste(paste, null).map((player) => [player.name || player.id, player.mu, player.party]) };
  } catch (error) {
    return { says: error.message, ways: error.ways || null, name: nameOf(error) };
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  try {
    console.log(JSON.stringify(answered(JSON.parse(line))));
  } catch (error) {
    console.log(JSON.stringify({ error: nameOf(error), message: String(error.message) }));
  }
});
