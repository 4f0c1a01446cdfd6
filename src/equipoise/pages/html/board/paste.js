// Names as people write them: the readings of equipoise.files.pasted_names and rosters, in the page's own words.
// tests/pages/html/test_board_script.py holds both to one corpus.
"use strict";

/**
 * @typedef {{weight: number | null, name: string}} Reading
 * @typedef {{text: string, line: number, party: string | null, bare: boolean, ways: Record<string, Reading>}} Item
 * @typedef {{number: number, text: string, held: string[], listed: number | null, marked?: boolean}} Line
 */

/** Names that can be read in several ways; nothing is guessed. */
class AmbiguousFault extends InputFault {
  /** @param {number} line @param {string} text @param {string[]} readings @param {string} remedy @param {string[]} ways */
  constructor(line, text, readings, remedy, ways = []) {
    super("ambiguous", { line, text: quoted(text), readings: readings.join("; "), remedy });
    this.ways = ways;
  }
}

/** Refuse a line. @param {number} line @param {string} key @param {Record<string, any>} [gaps] @returns {never} */
function failAt(line, key, gaps) {
  throw new InputFault("line", { line, what: say(`fault_${key}`, gaps) });
}

const READS = ["weight-first", "name-first", "names"];
const NUMBER = String.raw`(?:\+?(?:\p{Nd}+(?:[.,'’\u202f\u00a0]\p{Nd}+)*\.?|\.\p{Nd}+)(?:[eE][+-]?\p{Nd}+|[kK])?)`;
const UNITS = String.raw`(?:\s*(?:elo|mmr|sr|pts?|points?|rating|lp|rp)\.?)?`;
const LABEL = String.raw`(?:rating|elo|mmr|skill|sr|rank|points|level|weight)\s*(?:[:=]\s*|\s)`;
const BETWEEN = String.raw`(?:\s*(?:[-–—]\s*)?(?<![\p{L}\p{N}_])${LABEL}|\s*(?:[:=|\t→]|[-=]>)\s*|\s+@\s*|\s+[-–—]\s+)`;
const whole = (/** @type {string} */ pattern) => new RegExp(`^(?:${pattern})$`, "ius");
const IS_NUMBER = whole(`(?:${LABEL})?${NUMBER}${UNITS}`);
const LEADS = whole(String.raw`(${NUMBER})(${BETWEEN}|\s+)(?=\S)(.*)`);
const TRAILS = whole(String.raw`(.*?\S)(?:(${BETWEEN})(${NUMBER})${UNITS}|\s*[(\[{<](?:${LABEL})?(${NUMBER})${UNITS}[)\]}>]|\s+(${NUMBER})${UNITS})`);
const NO_WEIGHT = /^(?:[+-]?(?:nan|inf(?:inity)?)|0x[0-9a-f]+|[0-9]+(?:_[0-9]+)+)(?=\s)/iu;
const NEGATIVE = /(?:^|(?<=[\s,;:=]))-(?:\p{Nd}+(?:\.\p{Nd}*)?|\.\p{Nd}+)(?:[eE][+-]?\p{Nd}+)?(?=[\s,;]|$)/u;
const PLAIN = /^((?!0\p{Nd})\p{Nd}{1,15}(?:\.\p{Nd}+)?) ([\p{L}\p{Nl}\p{No}][\p{L}\p{N}_'-]*(?: [\p{L}\p{Nl}\p{No}][\p{L}\p{N}_'-]*)*)$/u;
const UNSEEN = new RegExp(String.raw`[\u200b\u200e\u200f\u2060-\u2064\u2066-\u2069\u202a-\u202e\ufeff\u00ad]|(?!${PASTES.joined})[\u200c\u200d]`, "gu");
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\v\f]/gu;
const BULLET = /^(?:(?:[-*•–—▪◦‣·●○■□➤➜►▶→>~]|\+(?=\s))\s+(?:\[[ xX✓]?\]\s*)?|[•▪◦‣●○■□➤➜►▶]\s*|\[[ xX✓]?\]\s+)/u;
const LIST_NUMBER = /^(?:([0-9]{1,4})[.)](?![0-9])\s*|([0-9]{1,4})[-–]\s+|\(([0-9]{1,4})\)\s+|#([0-9]{1,4})[.):]?\s+|([0-9])\ufe0f?\u20e3\s*)/u;
const COMMENT = /(?:^|(?<=\s))(?:#(?![0-9])|#(?=\s*$)|\/\/\s).*$/su;
const TICK = /\s*(?:✅|✔|☑|👍|\ufe0f)+$|^(?:✅|✔|☑)\ufe0f?\s*/gu;
const HEADING = /^(?:(?:team|squad|group|lobby)(?: ?(?:[0-9]{1,2}|[A-Za-z]))?|players|names|@everyone|@here)$/iu;
const MENTION = /(?<![\p{L}\p{N}_])@~?(?=[\p{L}\p{Nl}\p{No}])/gu;
const EMPHASIS = /(\*\*|\*|`)(?=\S)(.+?)(?<=\S)\1/gu;
const QUOTED = /(?<![^\s,;|+/(])(?:"((?:[^"]|"")+)"|“([^”]+)”|«\s*([^»]+?)\s*»|„([^“”]+)[“”])(?=\s*(?:$|[,;:=|+/#\p{Nd}(\[-]))/gu;
const CHAT = /^\[?(?:\p{Nd}{1,4}[./-]\p{Nd}{1,2}[./-]\p{Nd}{1,4},?\s+)?\p{Nd}{1,2}:\p{Nd}{2}(?::\p{Nd}{2})?(?:\s*[AaPp]\.?[Mm]\.?)?(?:,\s*\p{Nd}{1,4}[./-]\p{Nd}{1,2}[./-]\p{Nd}{1,4})?\]?\s*[-–]?\s*([^:\n]{1,60}):\s*(.*)$/su;
const COMES = /^(?:(?:\+|\+1|in|i'?m in|me|me too|yes|yep|y|ok|x|here|count me in|👍|✅|✋|🙋)[.! ]*)$/iu;
/** A number within a name that may be a weight, "Red: Amber" before other names. */
const STRAY = /(?:^|[\s~±(/:=|$€£]|\.\.)([1-9]\p{Nd}{2,}(?:[.,]\p{Nd}+)?|\p{Nd}+[.,]\p{Nd}+|\p{Nd}+(?=\s?%)|(?<=[$€£])\p{Nd}+)(?=$|[\s~±()/%:=$€£])/u;
/** Who wrote the message below, what calls everyone, and numbers before a name that may be its weight. */
const SENDER = /^(.{1,60}?)\s+—\s+(?:(?:[\p{L}\p{Nl}\p{No}]+ at )?|\p{Nd}{1,4}[./-]\p{Nd}{1,2}[./-]\p{Nd}{1,4},? )\p{Nd}{1,2}:\p{Nd}{2}(?:\s*[AaPp][Mm])?$/u;
const COMMA_LEADS = /^(\p{Nd}+),(\p{Nd}+)\s+[\p{L}\p{Nl}\p{No}]/u;
const PLUS_LEADS = /^\+(\p{Nd}+)\s+([\p{L}\p{Nl}\p{No}].*)/u;
const HEADED = /^[^:]{1,20}:\s+(?=[\p{L}\p{Nl}\p{No}])/u;
/** The line below the header of a Markdown table. */
const RULE = /^[\s|:+-]*-[\s|:+-]*$/;
/** What stands for a quoted name until the line has been cut. */
const HELD = "\ue000";

/** Read a paste: names, a table with a header, or JSON.
 * @param {string} given @param {string | null} read @returns {Player[]} */
function readPaste(given, read) {
  heard = nothingHeard();
  const text = undrawn(given.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n").replace(/^\s*"?sep=[,;|\t]"?[ \t]*(?=\n)/i, ""));
  const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.exec(text);
  if (control) failAt(text.slice(0, control.index).split("\n").length, "control");
  const first = text.trimStart();
  if (!first) return [];
  if (/^(?:\{\s*(?:"|\}|$)|\[\s*(?:["{[]|\](?=\s*$)|-?\d+(?:\.\d+)?\s*[,\]]|$))/.test(first)) return checked(readJson(first));
  if (looksLikeTable(first.split("\n")[0])) return checked(readTable(text, choicesOf(read)));
  const above = aboveHeader(text);
  if (above !== null) return checked(readTable(text, choicesOf(read), above));
  const players = pasted(text, read).map((entry) => player(entry));
  if (!players.length) throw new InputFault("no_players");
  return checked(players);
}

/** A table that is drawn with lines, as consoles print it, without them. @param {string} text */
function undrawn(text) {
  const lines = text.replace(/[│┃║]/g, "|").replace(/[─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋╭╮╰╯]/g, "-").split("\n");
  const first = lines.find((line) => line.trim()) ?? "";
  if (!RULE.test(first) || !lines.some((line) => line.includes("|"))) return text;
  return lines.map((line) => (RULE.test(line) ? "" : line)).join("\n");
}

/** @param {Partial<Player>} fields @returns {Player} */
function player(fields) {
  const id = fields.id || fields.name || "";
  return { mu: null, sigma: 0, side: 0.5, party: null, team: null, roles: [], ...fields, id };
}

/** @param {Player[]} players @returns {Player[]} */
function checked(players) {
  const seen = new Set();
  for (const { id, name, mu } of players) {
    if (!id) throw new InputFault("nameless");
    if (/\p{Cc}/u.test(id + (name ?? ""))) throw new InputFault("control_name", { name: quoted(id) });
    if (Math.max(id.length, (name ?? "").length) > 200) throw new InputFault("long_name");
    if (seen.has(id)) throw new InputFault("twice", { name: quoted(id) });
    if (mu !== null && !(Math.abs(mu) <= 1e15)) throw new InputFault("weight", { name: quoted(id) });
    seen.add(id);
  }
  return players;
}

const COLUMNS = /** @type {Record<string, string[]>} */ ({
  name: ["name", "player", "nick", "nickname", "player name", "user", "username"], id: ["id"],
  weight: ["weight", "rating", "skill", "elo", "mmr", "score", "sr", "points", "level", "skill level", "skill rating",
    "elo rating", "player score", "player rating"],
  mu: ["mu"], sigma: ["sigma", "deviation", "rd"], party: ["party", "premade", "group"], side: ["side"], team: ["team"],
  roles: ["roles", "role"], now: ["team_now", "team now", "current team"], bot: ["bot"], prefer: ["prefer", "with"],
  avoid: ["avoid", "without"],
});
const columnOf = (/** @type {string} */ name) => Object.keys(COLUMNS).find((key) => COLUMNS[key].includes(name.trim().toLowerCase()));
const plainName = (/** @type {string} */ text) => text.replace(UNSEEN, "").replace(SPACES, " ").trim().replace(EMPHASIS, "$2").replace(MENTION, "");
const isMarkdown = (/** @type {string} */ header) => header.includes("|") && !/[,;\t]/.test(header);

/** @param {string} header */
function looksLikeTable(header) {
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?!\S)/.test(header)) return false;
  const cells = header.split(isMarkdown(header) ? "|" : /[,;\t]/).map((cell) => plainName(cell.trim().replace(/^"+|"+$/g, "")).toLowerCase());
  const known = new Set(cells.filter((cell) => columnOf(cell)));
  if (known.size === 1 && known.has("nick")) {  // somebody may be called so
    throw new AmbiguousFault(1, header.trim(), [say("as_header"), say("one_player")], say("header_or_name"));
  }
  return known.size > 0;
}

/** @param {string} title */
const titleOf = (title) => plainName(title).trim().replace(/\s*(?:\(.*\)|\[.*\])?\s*[?:*]*$/, "").toLowerCase();
/** @param {string} words @param {string} text */
const isWord = (words, text) => foundIn(words === "attendance" ? PASTES.patterns.attendance : PASTES.titles[words], text) !== null;

/** How many lines stand above the header of a table in the grammar's words; nothing where it is no table.
 * @param {string} text @returns {number | null} */
function aboveHeader(text) {
  for (const [at, line] of text.split("\n").slice(0, 6).entries()) {
    const cells = line.trim().replace(/^\|+|\|+$/g, "").split(isMarkdown(line) ? "|" : /[,;\t]/);
    if (cells.length < 2) continue;
    const letters = cells.map((cell) => cell.trim()).join("");
    if ("ABCDEFGH".startsWith(letters)) continue;
    if (at === 0 && /\p{Nd}/u.test(line.replace(/\(.*?\)/g, "")) && !line.includes("#")) return null;
    return isHeader(cells) ? at : null;
  }
  return null;
}

/** Whether cells are a header by the grammar's words: whom it names, and something about them. @param {string[]} cells */
function isHeader(cells) {
  const titles = cells.map(titleOf);
  const fields = titles.map(columnOf);
  const count = (/** @type {string[]} */ words, /** @type {(field: string | undefined) => boolean} */ of) =>
    titles.filter((title, at) => of(fields[at]) || words.some((word) => isWord(word, title))).length;
  const named = count(["name_title", "first_title", "last_title"], (field) => field === "name" || field === "id");
  const about = count(["weight_title", "attendance", "rank_title", "partner_title", "date"], (field) => field !== undefined && field !== "name" && field !== "id");
  return named > 0 && (about > 0 || named > 1);
}

/** @typedef {{number: number, cells: string[]}} Row */

/** @param {string} given @param {Set<string>} answers @param {number} [above] @returns {Player[]} */
function readTable(given, answers, above = 0) {
  const all = given.split("\n");
  all.slice(0, above).forEach((line, at) => { if (line.trim()) heard.unread.push([at + 1, line.trim()]); });
  const text = [...all.slice(0, above).map(() => ""), ...all.slice(above)].join("\n");
  const [header, ...below] = rowsOf(text).filter(({ cells }) => cells.some((cell) => cell.trim()));
  const titles = header.cells.map(titleOf);
  const columns = header.cells.map((cell) => columnOf(plainName(cell)) ?? "");
  const { rows: read, coming } = told(titles, columns, below, answers);
  if (!columns.includes("name") && !columns.includes("id")) throw new InputFault("header");
  if (!columns.includes("weight") && !columns.includes("mu")) {
    refuseNumbers([header.cells, ...read.map(({ cells }) => cells)], columns.map((column, at) => (coming.includes(at) ? "coming" : column)));
  }
  const label = columns.indexOf("name");
  const rows = /** @type {Row[]} */ (columns.includes("id") ? read
    : alike(read.map((row) => ({ ...row, name: plainName(row.cells[label] ?? ""), line: row.number })), answers));
  const weights = rows.map(({ cells, number }) => /** @type {[number, string]} */ ([number, (cells[columns.indexOf("weight")] ?? "").trim()])).filter(([, cell]) => cell);
  refusePoints(weights, delimiterOf(text) === ";" || weights.some(([, cell]) => /^[1-9]\d{2,}$/.test(cell)));
  return rows.map(({ cells, number: at }) => {
    if (cells.length > columns.length) throw new InputFault("cells", { row: at, count: cells.length, header: columns.length });
    const row = /** @type {Record<string, any>} */ ({});
    cells.forEach((cell, place) => {
      if (columns[place] && cell.trim()) row[columns[place]] = plainName(cell);
    });
    const number = (/** @type {string} */ key) => (row[key] === undefined ? null : weightOf(row[key], at, row[key], true));
    const weight = number("weight");
    if (weight !== null && weight < 0) failAt(at, "negative", { weight });
    return player({ id: row.id, name: row.name ?? "", mu: number("mu") ?? weight, sigma: number("sigma") ?? 0,
      side: numberIn(number("side"), 0, 1, say("side")) ?? 0.5, party: row.party ?? null,
      team: row.team ? (number("team") ?? 0) - 1 : null, roles: row.roles ? row.roles.split(";").map((/** @type {string} */ one) => one.trim()) : [] });
  });
}

const STRUCK = /~~[^~]*~~|[\u0334-\u0338]/gu;
/** @param {string[]} cells @param {number} place */
const cellIn = (cells, place) => (cells[place] ?? "").trim();
/** @param {string[]} cells @param {number} place */
const answerIn = (cells, place) => cellIn(cells, place).replace(STRUCK, "").trim();
/** @param {string} text */
const replyIn = (text) => replyOf(text) || ({ "1": "in", "0": "out" }[text] ?? "");

/** Who plays by a table, and what its other columns say: who comes, names in two parts, ranks, partners, sums.
 * @param {string[]} titles @param {string[]} columns @param {Row[]} rows @param {Set<string>} answers
 * @returns {{rows: Row[], coming: number[]}} */
function told(titles, columns, rows, answers) {
  const free = () => columns.flatMap((column, at) => (column ? [] : [at]));
  const titled = (/** @type {string} */ words) => free().find((at) => isWord(words, titles[at]));
  const [first, last] = columns.includes("name") ? [] : [titled("first_title"), titled("last_title")];
  if (first !== undefined && last !== undefined) {
    columns[first] = "name";
    for (const { cells } of rows) if (first < cells.length) cells[first] = `${cellIn(cells, first)} ${cellIn(cells, last)}`.trim();
  }
  for (const at of free()) {
    const column = columnOf(titles[at]);
    if (column && !columns.includes(column)) columns[at] = column;
  }
  for (const word of ["name", "weight"]) {
    if (columns.includes(word) || (word === "weight" && columns.includes("mu"))) continue;
    const place = titled(`${word}_title`);
    if (place !== undefined) columns[place] = word;
  }
  if (!columns.includes("name") && !columns.includes("id")) return { rows, coming: [] };
  const rated = columns.includes("weight") || columns.includes("mu");
  readRanks(rated ? columns.flatMap((column, at) => (column === "weight" ? [at] : [])) : free().filter((at) => isWord("rank_title", titles[at])), columns, rows, answers);
  columns.forEach((column, place) => {
    if (column !== "weight") return;
    readMarks(rows, place, answers);
    readDigits(rows, place, answers);
  });
  const { coming, missing } = attending(titles, rows, answers, free());
  return { rows: whoComes(columns, rows, answers, coming, missing, titled("partner_title")), coming: [...coming, ...missing] };
}

/** Read “Gold 2” as a weight, once it was said which division is the best, and grades.
 * @param {number[]} places @param {string[]} columns @param {Row[]} rows @param {Set<string>} answers */
function readRanks(places, columns, rows, answers) {
  for (const place of places) {
    const filled = rows.filter(({ cells }) => cellIn(cells, place) && !isWord("blank", cellIn(cells, place)));
    const asked = [["rank", "ranked"], ["grade", "graded"]].find(([, pattern]) =>
      filled.length && filled.every(({ cells }) => foundIn(PASTES.patterns[pattern], cellIn(cells, place))))?.[0];
    if (!asked) continue;
    const chosen = askedChoice(asked, filled[0].number, cellIn(filled[0].cells, place), answers);
    if (chosen.best) {
      columns[place] = "weight";
      for (const { cells } of filled) cells[place] = String(rankOf(cellIn(cells, place), chosen.best));
    }
    return;
  }
}

/** Read “8/10”, stars, ranges and “1500 elo” as they are read behind a name. @param {Row[]} rows @param {number} place @param {Set<string>} answers */
function readMarks(rows, place, answers) {
  const plain = /^[+-]?[0-9.,'’\u202f\u00a0]*[0-9][0-9.,'’]*(?:e[+-]?[0-9]+)?$/i;
  const filled = rows.filter(({ cells }) => cellIn(cells, place));
  if (filled.every(({ cells }) => plain.test(cellIn(cells, place)) || isWord("blank", cellIn(cells, place)))) return;
  const { read, notes } = cellWeights(filled.map(({ number, cells }) => ({ number, cell: cellIn(cells, place) })), answers);
  heard.notes.push(...notes);
  filled.forEach(({ number, cells }, at) => {
    const text = /[A-Za-z]/.test(read[at]) && IS_NUMBER.test(read[at]) ? String(weightOf(read[at], number, cellIn(cells, place))) : read[at];
    if (!text || plain.test(text)) cells[place] = text;
  });
}

const GROUPED = /^([1-9][0-9]{0,2})[.,]([0-9]{3})$/;
/** Read “1,523” and “1.523” below one another as groups of digits, where no other weight has decimals.
 * @param {Row[]} rows @param {number} place @param {Set<string>} answers */
function readDigits(rows, place, answers) {
  const filled = rows.filter(({ cells }) => cellIn(cells, place));
  const grouped = filled.filter(({ cells }) => GROUPED.test(cellIn(cells, place)));
  if (grouped.length < 2 || filled.some(({ cells }) => /^0?[.,]|[.,](?:[0-9]{1,2}|[0-9]{4,})$/.test(cellIn(cells, place)))) return;
  const signs = new Set(grouped.map(({ cells }) => cellIn(cells, place).replace(/[0-9]/g, "")));
  if (signs.size > 1) return;
  if (signs.has(".")) {
    const text = cellIn(grouped[0].cells, place);
    if (askedChoice("thousands", grouped[0].number, text, answers, GROUPED.exec(text)).name !== "thousands") return;
  }
  for (const { cells } of grouped) cells[place] = cells[place].replace(/[.,]/g, "");
}

/** The columns that say who comes, and who does not. @param {string[]} titles @param {Row[]} rows @param {Set<string>} answers @param {number[]} free */
function attending(titles, rows, answers, free) {
  const [coming, missing, dated] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (const place of free) {
    const title = titles[place];
    const filled = rows.flatMap(({ number, cells }) => (answerIn(cells, place) ? [{ number, text: answerIn(cells, place) }] : []));
    const answered = filled.length > 0 && filled.every(({ text }) => replyIn(text));
    if (isWord("attendance", title)) coming.push(place);
    else if (!answered || isWord("aside", title) || filled.every(({ text }) => text === "0" || text === "1")) continue;
    else if (isWord("date", title)) dated.push(place);
    else if (isWord("out_heading", title)) missing.push(place);
    else {
      const chosen = title ? askedChoice("column", filled[0].number, title, answers).name : "column-comes";
      if (chosen !== "column-ignored") (chosen === "column-comes" ? coming : missing).push(place);
    }
  }
  if (dated.length > 1 && !coming.length) throw new InputFault("several_dates", { names: dated.map((place) => quoted(titles[place])).join(", ") });
  return { coming: [...coming, ...dated], missing };
}

/** Who comes. @param {string[]} columns @param {Row[]} rows @param {Set<string>} answers @param {number[]} coming @param {number[]} missing
 * @param {number | undefined} partner @returns {Row[]} */
function whoComes(columns, rows, answers, coming, missing, partner) {
  const label = columns.includes("name") ? columns.indexOf("name") : columns.indexOf("id");
  const replies = coming.map((place) => new Set(rows.map(({ cells }) => replyIn(answerIn(cells, place)))));
  const silent = (/** @type {Set<string>} */ said) => (said.has("in") ? (said.has("out") || said.has("maybe") ? "maybe" : "out") : "");
  const context = cellContext(rows.map(({ cells }) => cellIn(cells, label)), answers);
  const kept = rows.filter(({ number, cells }, at) => {
    if (cells.length <= label) return true;
    const plain = plainName(cells[label]).trim();
    if ((isWord("sum", plain) && rows.length > 2) || (/^\(?[0-9]+ rows?\)?(?: in set)?.*$/i.test(plain) && at === rows.length - 1)) {
      heard.unread.push([number, cells.map((cell) => cell.trim()).filter((cell) => cell).join(" ")]);
      return false;
    }
    const said = coming.map((place, n) => (answerIn(cells, place) ? replyIn(answerIn(cells, place)) : silent(replies[n])));
    if (missing.some((place) => replyIn(answerIn(cells, place)) === "in")) said.push("out");
    const { text: name, status } = cellStatus(cells[label], said, number, context);
    if (status === "late") heard.late.push(name);
    if (status === "out") return heard.out.push(name), false;
    if (name !== cells[label].trim()) cells[label] = name;
    columns.forEach((column, place) => {
      if ((column === "weight" || column === "mu") && isWord("blank", cellIn(cells, place))) cells[place] = "";
    });
    return true;
  });
  const numbers = new Set(kept.map(({ number }) => number));
  heard.notes = heard.notes.filter(([number]) => numbers.has(number));
  if (partner !== undefined && !columns.includes("party")) pairUp(columns, kept, label, partner);
  return kept;
}

/** Put partners into a party. @param {string[]} columns @param {Row[]} rows @param {number} label @param {number} partner */
function pairUp(columns, rows, label, partner) {
  const key = (/** @type {string[]} */ cells) => plainName(cells[label] ?? "").toLowerCase();
  const here = new Map(rows.map(({ cells }) => [key(cells), cells]));
  columns[partner] = "party";
  for (const { cells } of rows) {
    const mate = here.get(plainName(cellIn(cells, partner)).toLowerCase());
    if (partner < cells.length) cells[partner] = "";
    if (!mate || mate === cells) continue;
    const names = [plainName(cells[label]), plainName(mate[label])];
    cells[partner] = (names[0].toLowerCase() < names[1].toLowerCase() ? names : names.reverse()).join(" + ");
  }
  for (const party of new Set(rows.map(({ cells }) => cellIn(cells, partner)).filter((party) => party))) {
    for (const name of party.split(" + ")) {
      const cells = /** @type {string[]} */ (here.get(name.toLowerCase()));
      while (cells.length <= partner) cells.push("");
      cells[partner] ||= party;
    }
  }
}

/** “Name;Punkte”: numbers under a name that is not known, where nothing else is a weight.
 * @param {string[][]} rows @param {string[]} columns */
function refuseNumbers(rows, columns) {
  const numbers = rows[0].filter((title, place) => {
    const cells = rows.slice(1).map((row) => (row[place] ?? "").trim()).filter((cell) => cell);
    const counting = cells.every((cell, at) => cell === String(at + 1));
    return !columns[place] && title.trim() && cells.length && !counting && cells.every((cell) => /^\p{Nd}+([.,'’]\p{Nd}+)*$/u.test(cell));
  });
  if (numbers.length) throw new InputFault("numbers", { names: numbers.map((title) => quoted(plainName(title))).join(", ") });
}

/** What separates the cells of a table; nothing where it is Markdown. @param {string} text */
function delimiterOf(text) {
  const header = text.split("\n").find((line) => line.trim()) ?? "";
  return isMarkdown(header) ? "" : [",", ";", "\t"].reduce((most, one) => (header.split(one).length > header.split(most).length ? one : most));
}

/** @param {string} text @returns {Row[]} */
function rowsOf(text) {
  const mark = delimiterOf(text);
  if (!mark) {
    return text.split("\n").flatMap((line, at) => (line.trim() && !RULE.test(line) ?
      [{ number: at + 1, cells: line.trim().replace(/^\|/, "").replace(/\|$/, "").split("|").map((cell) => cell.trim()) }] : []));
  }
  const rows = [{ number: 1, cells: [""] }];
  let [inside, line] = [false, 1];
  for (let at = 0; at < text.length; at++) {
    const [sign, row] = [text[at], rows[rows.length - 1]];
    if (sign === "\n") line++;
    if (inside && sign === '"' && text[at + 1] === '"') row.cells[row.cells.length - 1] += text[at++];
    else if (sign === '"' && (inside || !row.cells[row.cells.length - 1])) inside = !inside;
    else if (!inside && sign === mark) row.cells.push("");
    else if (!inside && sign === "\n") rows.push({ number: line, cells: [""] });
    else row.cells[row.cells.length - 1] += sign;
    rows[rows.length - 1].number = line;
  }
  if (inside) throw new InputFault("open_quote");
  return rows;
}

/** @param {string} text @returns {Player[]} */
function readJson(text) {
  let data;
  try {
    const pieces = text.split("\n").filter((line) => line.trim());
    const byLine = pieces.length > 1 && pieces.every((piece) => /^\s*\{.*\}\s*$/.test(piece));
    data = byLine ? pieces.map((piece) => JSON.parse(piece)) : JSON.parse(text);
  } catch (error) {
    throw new InputFault("json", { why: /** @type {Error} */ (error).message });
  }
  if (data && Array.isArray(data.players)) data = data.players;
  const rows = Array.isArray(data) ? data : Object.entries(data).map(([name, weight]) => ({ name, weight }));
  return rows.map((given) => {
    const row = /** @type {Record<string, any>} */ (typeof given === "string" ? { name: given } :
      Array.isArray(given) ? { name: given[0], weight: given[1] } : given ?? {});
    const named = Object.fromEntries(Object.entries(row).map(([key, value]) => [columnOf(key) ?? "", value]));
    const { request } = requestOf({ players: [{ ...named, "": undefined }] });
    return player(request.players[0]);
  });
}

/** What was read of the last paste besides who plays. @type {Heard} */
let heard = { out: [], late: [], unread: [], notes: [] };

/** The choices that answer questions. @param {string | null} read @returns {Set<string>} */
const choicesOf = (read) => new Set(read ? read.split(",").map((one) => one.trim()) : []);

/** The choices of the question that a choice answers. @param {string} way @returns {string[]} */
function questionOf(way) {
  if (READS.includes(way)) return READS;
  const names = Object.values(PASTES.asks).map(({ choices }) => choices.map((/** @type {any} */ choice) => choice.name));
  return names.find((one) => one.includes(way)) ?? [];
}

/** @param {string} given @param {string | null} answer */
function pasted(given, answer) {
  const answers = choicesOf(answer);
  const read = READS.find((way) => answers.has(way)) ?? null;
  let text = given.replace(/[\u2028\u2029]/g, "\n");
  if (text.split("\n").some((raw) => raw && !PLAIN.test(raw))) ({ text, heard } = sift(text, answers));
  const lines = linesOf(text);
  if (!read && lines.length) refuseUnknownHeader(lines);
  let before = 0;
  for (const { listed, number, text: line } of lines) {
    if (listed === null) continue;
    if (listed > lines.length + 100 || (listed < before && listed > 1)) {
      throw new AmbiguousFault(number, `${listed}. ${line}`, [say("as_item", { listed }), say("as_its_weight", { listed })], say("no_full_stop"));
    }
    before = listed;
  }
  const items = lines.flatMap((line) => itemsOf(line, read));
  if (!read) refuseWordsInARow(items), refuseStrayNumbers(items);
  if (!read && !answers.has("thousands") && !answers.has("decimals")) refusePoints(lines.map((line) => [line.number, line.text]), isLarge(items) || lines.some((line) => line.text.includes(";")));
  const census = censusOf(items);
  return alike(items.map((item) => ({ ...resolved(item, census, read), line: item.line })), answers).map(({ name, mu, party }) => ({ name, mu, party }));
}

/** “Anna” and “anna” are one player or two, as is answered. @param {any[]} entries @param {Set<string>} answers */
function alike(entries, answers) {
  const seen = new Map();
  return entries.filter(({ name, line }) => {
    const key = name.normalize("NFC").toLowerCase();
    const before = seen.get(key) ?? name;
    seen.set(key, before);
    if (before === name || answers.has("alike-two")) return true;
    if (answers.has("alike-one")) return false;
    throw new AmbiguousFault(line, name, [say("same_player", { name: quoted(before) }), say("somebody_else")], say("choose"), ["alike-one", "alike-two"]);
  });
}

/** The lines that name somebody, without what surrounds the names.
 * @param {string} text @returns {Line[]} */
function linesOf(text) {
  const lines = /** @type {Line[]} */ ([]);
  let sender = "";
  text.split("\n").forEach((raw, at) => {
    const number = at + 1;
    if (raw.trim().startsWith("```")) return;
    if (PLAIN.test(raw)) return void lines.push({ number, text: raw, held: [], listed: null });
    const held = /** @type {string[]} */ ([]);
    let line = raw.replace(/(?<=[0-9])[\u202f\u00a0](?=[0-9]{3})/g, "'").replace(/(?<=\p{Nd})٫(?=\p{Nd})/gu, ".").replace(/(?<=\p{Nd})٬(?=\p{Nd})/gu, "'").replace(/(?<!\S)−(?=[0-9])/g, "-").replace(UNSEEN, "").replace(SPACES, " ")
      .replace(QUOTED, (_, ...groups) => `${HELD}${held.push(groups.find((group) => group).replaceAll('""', '"')) - 1}${HELD}`)
      .replace(COMMENT, "").trim();
    if (!line) return;
    const doubtful = (/** @type {string[]} */ names) =>
      new AmbiguousFault(number, raw.trim(), names.map((name) => say("plays_too", { name: quoted(name.trim()) })), say("names_alone"));
    const above = SENDER.exec(line);
    if (above) return void lines.push({ number, text: (sender = above[1]).replace(MENTION, ""), held, listed: null });
    if (sender && COMES.test(line)) return;
    if (sender) throw doubtful([sender, line]);
    const chat = CHAT.exec(line);
    if (chat && !COMES.test(chat[2].trim())) throw doubtful([chat[1], chat[2]]);
    if (chat) line = chat[1].trim();
    const bullet = BULLET.exec(line);
    if (bullet) line = line.slice(bullet[0].length).trimStart();
    const mark = LIST_NUMBER.exec(line);
    if (mark) line = line.slice(mark[0].length);
    const marked = Boolean(bullet || mark);
    line = line.replace(TICK, "").trim();
    if (!line) return;
    if ((line.endsWith(":") || HEADING.test(line)) && !held.length) failAt(number, "heading", { text: quoted(line) });
    if (line.endsWith("?") && line.split(/\s+/).length > 2 && !held.length) failAt(number, "sentence", { text: quoted(line) });
    line = line.replace(EMPHASIS, "$2").replace(/(?<=[^\s,;+/|&:=-])\s+(?=@~?[\p{L}\p{Nl}\p{No}]|<@[!&]?\p{Nd}+>)/gu, ", ").replace(MENTION, "");
    lines.push({ number, text: line, held, listed: mark ? Number(mark.slice(1).find((one) => one)) : null, marked });
  });
  return lines;
}

/** @param {string} text @param {string[]} held */
const named = (text, held) => text.replace(new RegExp(`${HELD}(\\d+)${HELD}`, "g"), (_, at) => held[at]).trim();
const isOpen = (/** @type {string} */ text) => ["[]", "{}", "()"].some(([open, close]) => text.split(open).length !== text.split(close).length);

/** The players that a line names.
 * @param {Line} line @param {string | null} read @returns {Item[]} */
function itemsOf(line, read) {
  const plain = PLAIN.exec(line.text);
  if (plain) {
    return [{ text: line.text, line: line.number, party: null, bare: true,
      ways: { "weight-first": { name: plain[2], weight: digitsOf(plain[1]) }, names: { name: line.text, weight: null } } }];
  }
  const negative = NEGATIVE.exec(line.text);
  if (negative && read !== "names") failAt(line.number, "negative", { weight: negative[0] });
  if (NO_WEIGHT.test(line.text) && read !== "names") failAt(line.number, "no_number");
  if (!read) refuseLeading(line);
  const cells = read === "weight-first" ? [line.text] : cellsOf(line.text);
  if (cells.length === 1 && cells[0] === "") failAt(line.number, "only_separators");
  if (cells.length === 1) return duo(cells[0], line, read);
  if (cells.some(isOpen) && !isOpen(line.text)) failAt(line.number, "brackets");
  if (cells.some((cell) => !cell)) failAt(line.number, "empty_cell");
  const numeric = cells.map((cell) => IS_NUMBER.test(cell));
  if (!read && !numeric.includes(true) && HEADED.test(cells[0]) && !cells.slice(1).some((cell) => cell.includes(":"))) {
    failAt(line.number, "headed", { text: quoted(line.text) });
  }
  if (read === "names" || !numeric.includes(true)) {
    const items = cells.flatMap((cell) => duo(cell, line, read));
    const first = items.map((item) => "weight-first" in item.ways);
    if (!read && first[0] && !first.slice(1).includes(true)) {
      throw new AmbiguousFault(line.number, line.text, [say("one_player"), say("many_players", { count: items.length })], say("in_quotes"));
    }
    return items;
  }
  if (cells.length % 2 || numeric.some((one, at) => at > 0 && one === numeric[at - 1])) {
    failAt(line.number, "which_weight", { count: cells.length });
  }
  return cells.filter((_, at) => !numeric[at]).map((name, at) => {
    if (partsOf(name).length > 1) refuseShared(line);
    const weight = cells[2 * at + Number(!numeric[0])];
    const known = { name: named(name, line.held), weight: weightOf(weight, line.number, line.text) };
    return { text: name, line: line.number, party: null, bare: false, ways: { "name-first": known, "weight-first": known } };
  });
}

/** “Spieler;Punkte” above lines of a name and a number: columns that are not known, or two players. @param {Line[]} lines */
function refuseUnknownHeader(lines) {
  const rows = lines.map((line) => cellsOf(line.text));
  const words = rows.length > 1 && rows[0].length === 1 ? lines[0].text.split(/\s+/) : [];
  if (words.length > 1 && words.every(columnOf)) failAt(lines[0].number, "spaced_header", { text: quoted(lines[0].text) });
  if (rows.length < 2 || rows[0].length < 2 || /\p{Nd}/u.test(lines[0].text)) return;
  if (rows.slice(1).every((row) => row.length === rows[0].length && row.filter((cell) => IS_NUMBER.test(cell)).length === 1)) {
    failAt(lines[0].number, "unknown_header", { text: quoted(lines[0].text) });
  }
}

/** “Amber 1500 (late)” and “Amber 1500 (80)”: a number that would be lost in the name. @param {Item[]} items */
function refuseStrayNumbers(items) {
  for (const { text, line, ways } of items) {
    const name = (ways["name-first"] ?? ways.names)?.name ?? "";
    const stray = text.includes(HELD) || ways["weight-first"] ? null : STRAY.exec(name);
    if (stray) {
      throw new AmbiguousFault(line, text, [say("as_weight", { weight: stray[1] }), say("in_name", { number: stray[1] })],
        say("one_number"));
    }
  }
}

/** “12,5 Amber”: a decimal comma, or two cells; “+1 Amber”: who plays, or a weight. @param {Line} line */
function refuseLeading(line) {
  const [comma, plus] = [COMMA_LEADS.exec(line.text), PLUS_LEADS.exec(line.text)];
  if (comma) {
    const weight = `${comma[1]}.${comma[2]}`;
    throw new AmbiguousFault(line.number, line.text, [say("as_weight", { weight }), say("as_weight", { weight: comma[1] })], say("write_that", { weight }));
  }
  if (plus) {
    throw new AmbiguousFault(line.number, line.text, [say("plays_too", { name: quoted(named(plus[2], line.held)) }), say("as_weight", { weight: plus[1] })],
      say("no_plus"));
  }
}

/** @param {Line} line @returns {never} */
function refuseShared(line) {
  throw new AmbiguousFault(line.number, line.text, [say("of_each"), say("of_both")], say("weight_each"));
}

/** Cut a line at tabs, else at semicolons, else at commas; a comma inside a number is none of these.
 * @param {string} text @returns {string[]} */
function cellsOf(text) {
  text = text.replaceAll("؛", ";");
  const mark = ["\t", ";"].find((one) => text.includes(one));
  if (!mark && !/[,，、،]/.test(text)) return [text];
  const within = /\s[0-9][0-9.]*,[0-9]/.test(text) ? /(?<![0-9]),|,(?![0-9])|[，、،]/ : /[,，、،]/;
  const cells = text.split(mark ?? within);
  while (cells.length > 1 && !cells[cells.length - 1].trim()) cells.pop();
  return cells.map((cell) => cell.trim());
}

/** Cut “Amber + Birch” and “Amber/Birch” into players; “C++” and “10/10” stay whole.
 * @param {string} cell @returns {string[]} */
function partsOf(cell) {
  const parts = cell.split(/\s*\+\s*|\s*(?<!<)\/\s*|\s+&\s+/).map((part) => part.trim());
  return parts.length > 1 && !parts.some(isOpen) && parts.every((part) => /[\p{L}\p{Nl}\p{No}\ue000]/u.test(part)) ? parts : [cell];
}

/** @param {string} cell @param {Line} line @param {string | null} read @returns {Item[]} */
function duo(cell, line, read) {
  const items = (read === "weight-first" ? [cell] : partsOf(cell)).map((part) => itemOf(part, line, read));
  if (items.length === 1) return items;
  const weighted = items.map((item) => Object.keys(item.ways).some((way) => way !== "names"));
  const guests = items.map((item, at) => weighted[at] || item.text.includes(HELD));
  if (weighted.includes(true) && guests.includes(false) && read !== "names") refuseShared(line);
  const party = items.map((item) => Object.values(item.ways)[0].name).join(" + ");
  return items.map((item) => ({ ...item, party }));
}

/** “Amber - 15:30”, “Amber: yes”, “Amber (maybe)” and an address: no name, or not one who plays.
 * @param {string} name @param {Line} line */
function checkName(name, { number, text }) {
  if (/(?:^|\s)(?:\p{Nd}{1,2}:\p{Nd}{2}(?:\s?[ap]\.?m\.?)?|\p{Nd}{1,2}\s?(?:[ap]\.?m\.?|uhr|h))$/iu.test(text)) failAt(number, "time", { text: quoted(text) });
  if (/^[a-z]+:\/\//i.test(name)) failAt(number, "address", { text: quoted(text) });
  if (/\((?:maybe|tentative|unsure|not sure|out|no|\?+)\)$|[\p{L}\p{Nl}\p{No}_]\?$/iu.test(name)) {
    throw new AmbiguousFault(number, text, [say("who_plays"), say("who_may_not")], say("or_delete"));
  }
  const answer = /^(?!\p{Nd}+:)([^:]{1,60}):\s+(\P{Nd}+)$/u.exec(name);
  if (!answer) return;
  throw new AmbiguousFault(number, text, [...answer.slice(1).map((one) => say("plays_too", { name: quoted(one) })), say("one_player")], say("names_alone"));
}

/** One player with every way in which the text can be read.
 * @param {string} text @param {Line} line @param {string | null} read @returns {Item} */
function itemOf(text, line, read) {
  if (IS_NUMBER.test(text)) failAt(line.number, "only_number", { text });
  if (!read && !text.includes(HELD)) checkName(text, line);
  const [leads, trails] = [LEADS.exec(text), TRAILS.exec(text)];
  /** @type {Record<string, Reading>} */
  const ways = {};
  let bare = false;
  if (leads && !IS_NUMBER.test(leads[3])) {
    ways["weight-first"] = { name: named(leads[3], line.held), weight: weightOf(leads[1], line.number, line.text) };
    bare = !leads[2].trim();
  }
  const dashed = /^(\S+)-(\p{Nd}{2,})$/u.exec(text);
  if (trails) {
    const number = trails[3] ?? trails[4] ?? trails[5];
    ways["name-first"] = { name: named(trails[1], line.held), weight: weightOf(number, line.number, line.text) };
    bare ||= trails[5] !== undefined;
    if (trails[5] && /\s\p{Nd}{1,3}$/u.test(trails[1]) && /^\p{Nd}{3}$/u.test(number)) {
      throw new AmbiguousFault(line.number, line.text, [say("spaced_weight"), say("name_and_weight", { name: quoted(trails[1]), weight: number })],
        say("no_spaces"));
    }
  } else if (dashed) {
    ways["name-first"] = { name: named(dashed[1], line.held), weight: digitsOf(dashed[2]) };
    bare = true;
  }
  if (!Object.keys(ways).length || bare) ways.names = { name: named(text, line.held), weight: null };
  if (Object.keys(ways).join() === "names" && text.split(/\s+/).length >= 7) {
    failAt(line.number, "sentence", { text: quoted(text) });
  }
  return { text, line: line.number, party: null, ways, bare };
}

/** @param {string} text @returns {number} */
function digitsOf(text) {
  return Number(text.replace(/\p{Nd}/gu, (digit) => {
    let zero = /** @type {number} */ (digit.codePointAt(0));
    for (let value = 0; value < 10; value++, zero--) {
      if (!/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) return String(value);
    }
    return String((/** @type {number} */ (digit.codePointAt(0)) - zero) % 10);
  }));
}

/** A number as people write it; one that may have grouped digits or decimals is not guessed.
 * @param {string} text @param {number} at @param {string} line @param {boolean} [signed] @returns {number} */
function weightOf(text, at, line, signed = false) {
  const bare = text.trim().replace(whole(`${LABEL}(.*)`), "$1").replace(new RegExp(`${UNITS}$`, "iu"), "");
  let digits = bare.replace(/['’]/g, "");
  const factor = /[kK]$/.test(digits) ? 1000 : 1;
  digits = digits.replace(/[kK]+$/, "");
  const [commas, points] = [digits.split(",").length - 1, digits.split(".").length - 1];
  const none = () => failAt(at, "not_a_number", { text: quoted(text) });
  if (commas && points) {
    const last = Math.max(digits.lastIndexOf(","), digits.lastIndexOf("."));
    digits = `${digits.slice(0, last).replace(/[.,]/g, "")}.${digits.slice(last + 1)}`;
  } else if (commas > 1 || points > 1) {
    if (!/^\p{Nd}{1,3}([.,]\p{Nd}{3})+$/u.test(digits)) none();
    digits = digits.replace(/[.,]/g, "");
  } else if (/^[1-9]\p{Nd}{0,2},\p{Nd}{3}$/u.test(digits)) {
    const [one, other] = [digits.replace(",", ""), digits.replace(",", ".")];
    throw new AmbiguousFault(at, line, [one, other].map((weight) => say("as_weight", { weight })), say("write_one", { one, other }));
  } else digits = digits.replace(",", ".");
  const value = /^[+-]?(?:\p{Nd}+\.?\p{Nd}*|\.\p{Nd}+)(?:[eE][+-]?\p{Nd}+)?$/u.test(digits) ? factor * digitsOf(digits) : none();
  if (!(Math.abs(value) <= 1e15) || (!signed && value < 0)) none();
  return value;
}

/** “Amber Birch Cedar” alone, or “Amber 1500 Birch 1400”: one player, or several. @param {Item[]} items */
function refuseWordsInARow(items) {
  if (items.length !== 1) return;
  const [{ text, line, ways }] = items;
  const words = text.split(/\s+/);
  const numbers = text.match(new RegExp(String.raw`(?<!\S)${NUMBER}(?!\S)`, "gu")) ?? [];
  const only = Object.keys(ways).join() === "names";
  const players = only ? words.length : numbers.length > 1 && words.length >= 2 * numbers.length ? numbers.length : 1;
  if (players > 1) throw new AmbiguousFault(line, text, [say("one_player"), say("many_players", { count: players })], say("separate"));
}

/** Whether there are whole weights of 100 and above. @param {Item[]} items */
const isLarge = (items) => items.some((item) => Object.values(item.ways).some(({ weight }) => weight !== null && weight >= 100 && Number.isInteger(weight)));

/** “1.500” beside “950”, “12,5” or semicolons: a decimal point, or a group of digits.
 * @param {[number, string][]} places @param {boolean} doubtful */
function refusePoints(places, doubtful) {
  const pointed = places.filter(([, text]) => /\p{Nd}\.\p{Nd}/u.test(text) && !/\p{Nd}\.\p{Nd}{3},\p{Nd}/u.test(text));
  const groups = pointed.map(([, text]) => /(?<![\p{Nd}.,])([1-9]\p{Nd}{0,2})\.(\p{Nd}{3})(?![\p{Nd}.,])/u.exec(text));
  const [found] = groups;
  if (!found || !groups.every((group) => group)) return;
  if (!doubtful && !places.some(([, text]) => /(?<![A-Za-z_\p{Nd}])\p{Nd}+,\p{Nd}{1,2}(?!\p{Nd})|\p{Nd}\.\p{Nd}{3},\p{Nd}/u.test(text))) return;
  const [one, other] = [`${found[1]}${found[2]}`, found[0]];
  throw new AmbiguousFault(pointed[0][0], pointed[0][1], [one, other].map((weight) => say("as_weight", { weight })), say("write_one", { one, other: Number(other) }));
}

/** Numbers up to which names are told apart by them, as in "Player 12". */
const SERIES = 99;

/** What the text as a whole does, which decides what one of its lines may mean. @param {Item[]} items */
function censusOf(items) {
  const styles = items.map((item) => Object.keys(item.ways).filter((way) => way !== "names"));
  const counting = items.length > 1 && items.every((item, at) =>
    item.ways["weight-first"]?.weight === at + 1 && /^\p{Nd}+(?!\p{Nd}*\.)/u.test(item.text));
  const last = items.filter((item) => item.ways["name-first"] && item.ways.names).map((item) => item.ways["name-first"]);
  const names = last.map((reading) => reading.name);
  const shared = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return { players: items.length, weighted: styles.filter((style) => style.length).length, counting,
    certain: new Set(styles.filter((style) => style.length === 1).map(([way]) => way)),
    shared, series: last.every(({ name, weight }) => shared.has(name) && (weight ?? 0) <= SERIES) };
}

/** The one thing that an item can mean, or a refusal.
 * @param {Item} item @param {ReturnType<typeof censusOf>} census @param {string | null} read */
function resolved(item, census, read) {
  const { party } = item;
  let ways = { ...item.ways };
  if (census.counting && read !== "weight-first") {
    const { name, weight } = ways["weight-first"];
    const trails = TRAILS.exec(name);
    ways = ways["name-first"] && trails ? { "name-first": { name: trails[1], weight: ways["name-first"].weight } } :
      { "weight-first": { name, weight }, names: { name, weight: null } };
  }
  if (read) {
    const way = ways[read] ?? (read === "names" ? Object.values(ways)[0] : ways.names) ?? { name: item.text, weight: null };
    return { name: way.name, mu: way.weight, party };
  }
  ways = likely(ways, item, census);
  const list = READS.filter((way) => ways[way]);
  if (new Set(list.map((way) => JSON.stringify([ways[way].name, ways[way].weight]))).size > 1) {
    const readings = list.map((way) => (ways[way].weight === null ? quoted(ways[way].name) : say("with_weight", { name: quoted(ways[way].name), weight: ways[way].weight })));
    throw new AmbiguousFault(item.line, item.text, readings, say("choose"), list);
  }
  return { name: ways[list[0]].name, mu: ways[list[0]].weight, party };
}

/** The readings that are left when the rest of the text is considered.
 * @param {Record<string, Reading>} ways @param {Item} item @param {ReturnType<typeof censusOf>} census */
function likely(ways, item, census) {
  if (Object.keys(ways).length === 1 || census.counting) return ways;
  const { "weight-first": first, "name-first": last, names } = ways;
  if (!first && census.shared.has(last.name)) return census.series ? { names } : ways;
  if (first && last) {
    const [way] = census.certain;
    if (census.certain.size === 1) return { [way]: ways[way] };
    return { "weight-first": first, "name-first": last };
  }
  if (2 * census.weighted >= census.players || !item.bare) return Object.fromEntries(Object.entries(ways).filter(([way]) => way !== "names"));
  return ways;
}
