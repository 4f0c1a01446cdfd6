// What each line of a paste is: the interpreter of the grammar that the library reads too (PASTES).
"use strict";

/**
 * @typedef {{number: number, raw: string, text: string, status: string, block: number, changed: boolean,
 *   tidy: string, whole: string, notes: string[], listed: boolean, guests: number, named: string[]}} Kind
 * @typedef {{out: string[], late: string[], unread: [number, string][], notes: [number, string][]}} Heard
 * @typedef {{answers: Set<string>, total: number, counts: Record<string, number>, below: Record<string, number>, counted: Set<number>, first: number,
 *   section: string, sender: string, block: number, said: Map<string, Kind>, aside: [string, string][],
 *   perhaps: [Kind, string, number, string][], present: string[], head: number, partners: Map<string, Kind>, counting: Map<string, boolean>}} Sifting
 */

/** @type {Map<string, RegExp>} */
const patterns = new Map();
/** A pattern with what its placeholders stand for. @param {string} pattern @returns {string} */
const filledIn = (pattern) => pattern.replace(/%([a-zA-Z0-9_]+)%/g, (_, name) => filledIn(PASTES.parts[name]));
/** @param {string} pattern @param {string} line @returns {RegExpExecArray | null} */
function foundIn(pattern, line) {
  let compiled = patterns.get(pattern);
  if (!compiled) patterns.set(pattern, compiled = new RegExp(filledIn(pattern), "iu"));
  return compiled.exec(line);
}

/** @param {string} put @param {RegExpExecArray} found */
const templated = (put, found) => put.replace(/\$([0-9])/g, (_, at) => found[Number(at)] ?? "");

/** @returns {Heard} */
const nothingHeard = () => ({ out: [], late: [], unread: [], notes: [] });

/** @param {number} number @param {string} raw @param {string} text @returns {Kind} */
const kindFrom = (number, raw, text) => ({ number, raw, text, status: "in", block: 0, changed: text !== raw.trim(), tidy: text,
  whole: "", notes: [], listed: false, guests: 0, named: [] });

/** A line without signs that are not seen, and of plain width. @param {string} raw */
const tidied = (raw) => raw.replace(/[\u200b\u200e\u200f\u2060-\u2064\u2066-\u2069\u202a-\u202e\ufeff\u00ad]/g, "")
  .replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0)).replace(/\u3000/g, " ")
  .replace(/[\u{1d7ce}-\u{1d7ff}]/gu, (sign) => String((/** @type {number} */ (sign.codePointAt(0)) - 0x1d7ce) % 10)).trim();

/** A paste with what names players and nothing else, and what else was read.
 * @param {string} text @param {Set<string>} answers @returns {{text: string, heard: Heard}} */
function sift(text, answers) {
  const raws = text.split("\n");
  if (raws.length > PASTES.most_lines) return { text, heard: nothingHeard() };
  const tidy = raws.map(tidied);
  for (let at = 1; at < tidy.length - 1; at++) {  // as Discord copies who wrote, and when
    if (tidy[at] === "—" && tidy[at - 1] && tidy[at + 1]) tidy.splice(at - 1, 3, `${tidy[at - 1]} — ${tidy[at + 1]}`, "", "");
  }
  const long = raws.map((raw) => [...raw].length > PASTES.most_signs);
  const filled = tidy.flatMap((line, at) => (line && !long[at] ? [at] : []));
  const matched = matchedIn(filled, tidy);
  const siftingBelow = (/** @type {number} */ titles) => /** @type {Sifting} */ ({ answers, total: filled.length - titles,
    counts: countsOf(matched, 0), below: countsOf(matched, titles), counted: countedIn(tidy, filled), first: filled[0] ?? -1,
    section: "in", sender: "", block: 0, said: new Map(), perhaps: [], aside: [], present: filled.map((at) => tidy[at]),
    head: filled[titles] ?? -1, partners: new Map(), counting: new Map() });
  const lineAt = (/** @type {number} */ n, /** @type {Sifting} */ state) => {
    const at = filled[n];
    const line = kindOf(kindFrom(at + 1, raws[at], tidy[at]), state);
    if (state.head === at && ["unread", "skip"].includes(line.status)) state.head = filled[n + 1] ?? -1;
    return line;
  };
  const lines = titlesIn(filled.length, (n, state) => lineAt(n, state), siftingBelow(0));
  const sifting = siftingBelow(lines.length);
  for (let n = lines.length; n < filled.length; n++) lines.push(lineAt(n, sifting));
  joinPartners(lines, sifting);
  restoreNotes(lines);
  for (const line of lines) if (line.status === "maybe") askAbout("maybe", line, null, sifting);
  addGuests(sifting);
  unnumber(lines);
  const kept = raws.map((raw, at) => (long[at] ? raw : ""));
  for (const { number, raw, text: left, status, changed } of lines) {
    if (["in", "late"].includes(status)) kept[number - 1] = changed ? left : raw;
  }
  const told = [...lines.map((line) => [line.status, line.text]), ...sifting.aside];
  const of = (/** @type {string} */ wanted) => told.flatMap(([status, name]) => (status === wanted ? namesIn(name) : []));
  return { text: kept.join("\n"), heard: { out: of("out"), late: of("late"),
    unread: lines.flatMap((line) => (line.status === "unread" ? [/** @type {[number, string]} */ ([line.number, line.raw.trim()])] : [])),
    notes: lines.filter(comes).flatMap((line) => line.notes.map((note) => /** @type {[number, string]} */ ([line.number, note]))) } };
}

/** How many lines match, those of so many titles left out. @param {[string, boolean[]][]} matched @param {number} titles
 * @returns {Record<string, number>} */
const countsOf = (matched, titles) => Object.fromEntries(matched.map(([name, each]) => [name, each.slice(titles).filter((one) => one).length]));

/** The lines above all others that say what the list is, and open nothing: what lines have in common is judged without them.
 * @param {number} count @param {(n: number, state: Sifting) => Kind} lineAt @param {Sifting} state */
function titlesIn(count, lineAt, state) {
  const titles = /** @type {Kind[]} */ ([]);
  try {
    while (titles.length < count) {
      const line = lineAt(titles.length, state);
      if (line.status !== "unread" || state.block || state.sender) return titles;
      titles.push(line);
    }
  } catch (error) {
    if (error instanceof AmbiguousFault) return titles;
    throw error;
  }
  return [];
}

const comes = (/** @type {Kind} */ line) => ["in", "late"].includes(line.status);
/** @param {string} text */
const bareName = (text) => text.replace(new RegExp(filledIn(PASTES.patterns.lead), "iu"), "").replace(new RegExp(filledIn(PASTES.patterns.weight), "iu"), "").toLowerCase();

/** Leave out the line of somebody who was named above as another one's partner. @param {Kind[]} lines @param {Sifting} sifting */
function joinPartners(lines, { partners }) {
  if (!partners.size) return;
  for (const line of lines.filter(comes)) {
    const name = bareName(line.text);
    const by = partners.get(name) ?? (name.includes(" + ") ? partners.get(name.split(" + ").reverse().join(" + ")) : undefined);
    if (by && by !== line) line.status = "skip";
  }
}

/** Give names back what stood beside them where it alone tells two players apart. @param {Kind[]} lines */
function restoreNotes(lines) {
  const read = lines.filter(comes);
  const names = read.map((line) => bareName(line.text));
  read.forEach((line, at) => {
    if (line.notes.length && names.indexOf(names[at]) !== names.lastIndexOf(names[at])) [line.text, line.notes] = [line.whole, []];
  });
}

/** The lines such as “Tanks (2)” above as many lines as they say. @param {string[]} tidy @param {number[]} filled */
function countedIn(tidy, filled) {
  const heads = filled.flatMap((line, at) => {
    const found = foundIn(PASTES.contexts.counted, tidy[line]);
    return found ? [{ line, at, count: Number(found[1]) }] : [];
  });
  return new Set(heads.filter(({ at, count }, n) => {
    const below = (heads[n + 1]?.at ?? filled.length) - at - 1;
    return below > 0 && below === count;
  }).map(({ line }) => line));
}

/** Whether the text as a whole is one that a rule is for. @param {any} rule @param {Kind} line @param {Sifting} sifting */
function holds(rule, line, sifting) {
  const { counts, below, total, first, counted, answers, head } = sifting;
  return !(("some" in rule && !counts[rule.some]) ||
    ("more" in rule && !counts[rule.more]) ||
    ("many" in rule && counts[rule.many] < 2) ||
    ("most" in rule && (total < 2 || 2 * below[rule.most] < total)) ||
    ("each" in rule && (total < 2 || below[rule.each] !== total)) ||
    (rule.none ?? []).some((/** @type {string} */ name) => counts[name]) ||
    ("scales" in rule && rule.scales.filter((/** @type {string} */ name) => counts[name]).length < 2) ||
    ("few" in rule && 2 * below[rule.few] > total) ||
    ("only" in rule && counts[rule.only] !== 1) ||
    ("others" in rule && (total < 3 || below[rule.others] !== total - 1)) ||
    (rule.alone && total !== 1) ||
    (rule.first && (total < 2 || line.number - 1 !== head)) ||
    (rule.unmarked && foundIn(PASTES.contexts.marked, line.tidy)) ||
    (rule.counted && !counted.has(line.number - 1)) ||
    (rule.several && (total < 2 || line.listed)) ||
    ("answered" in rule && !answers.has(rule.answered)) ||
    (rule.below && line.number - 1 === first) ||
    (rule.after && line.number - 1 === head) ||
    (rule.counting && !countsUp(rule.find, sifting)));
}

const ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi"];

/** Whether what a pattern finds first in lines counts up, from 0, 1, a or i. @param {string} pattern @param {Sifting} sifting */
function countsUp(pattern, { present, counting }) {
  let known = counting.get(pattern);
  if (known === undefined) {
    const marks = present.flatMap((line) => foundIn(pattern, line)?.[1].toLowerCase() ?? []);
    const numbers = marks.map((mark) => (marks[0] === "a" ? mark.charCodeAt(0) - 96 : /^[0-9]+$/.test(mark) ? Number(mark) : ROMAN.indexOf(mark) + 1));
    known = numbers.length > 1 && numbers[0] <= 1 && new Set(numbers).size > 1 &&
      numbers.slice(1).every((one, at) => one === numbers[at] + 1 || one === numbers[0]);
    counting.set(pattern, known);
  }
  return known;
}

/** @param {Kind} line @param {Sifting} sifting @returns {Kind} */
function kindOf(line, sifting) {
  if (sifting.sender && !PASTES.rules.some((/** @type {any} */ rule) => rule.sender && foundIn(rule.find, line.text))) {
    return messageOf(line, sifting.sender, line.text, sifting);
  }
  let asked = false;
  for (const rule of PASTES.rules) {
    const found = holds(rule, line, sifting) ? foundIn(rule.find, line.text) : null;
    const several = rule.piece && line.text.includes(",") && !line.text.includes('"');
    if (several && (!found || rule.piece === "first")) {
      pieces(rule, line, sifting);
      if (line.status === "skip") break;
      continue;
    }
    if (!found || (rule.piece === "only" && !several)) continue;
    if (rule.chat) return messageOf(line, found[1].trim(), found[2].trim(), sifting);
    if (rule.sender) {
      [sifting.sender, line.status] = [found[1].trim(), "skip"];
      return line;
    }
    if (rule.section) {
      beginSection(rule.section, line, sifting);
      return line;
    }
    line.listed ||= Boolean(rule.list);
    if (rule.ask) {
      asked ||= rule.ask === "maybe";
      askAbout(rule.ask, line, found, sifting, rule);
    } else {
      putIn(line, found, rule, sifting);
      line.status = rule.status ?? line.status;
    }
    if (!["in", "late"].includes(line.status) || rule.status === "in" || rule.stop) break;
  }
  line.block = sifting.block;
  if (["in", "late"].includes(line.status) && sifting.section !== "in" && !asked) line.status = sifting.section;
  return line;
}

/** Apply a rule to each name of a line with commas. @param {any} rule @param {Kind} line @param {Sifting} sifting */
function pieces(rule, line, sifting) {
  const parts = line.text.split(/\s*,\s*/);
  const kept = /** @type {string[]} */ ([]);
  for (const part of parts) {
    const piece = { ...line, text: part, status: "in", changed: false };
    const found = foundIn(rule.find, part);
    if (found) {
      putIn(piece, found, rule, sifting);
      piece.status = rule.status ?? "in";
      if (rule.ask) askAbout(rule.ask, piece, rule.ask === "maybe" ? null : found, sifting);
    }
    if (["out", "late"].includes(piece.status)) sifting.aside.push([piece.status, piece.text]);
    if (piece.status !== "out") kept.push(piece.text);
  }
  if (kept.join("\n") === parts.join("\n")) return;
  [line.text, line.changed, line.status] = [kept.join(", "), true, kept.length ? line.status : "skip"];
}

/** A line of a chat: its sender, as far as the message says whether they come, and with whom.
 * @param {Kind} line @param {string} sender @param {string} message @param {Sifting} sifting @returns {Kind} */
function messageOf(line, sender, message, sifting) {
  sender = sender.replace(/^~/, "").trim();
  const { patterns: { brings: pattern, one_more: more } } = PASTES;
  const before = sifting.said.get(sender);
  const coming = before && (comes(before) || before.status === "maybe");
  let reply = replyOf(message);
  let brings = foundIn(pattern, message);
  if (brings && (brings[5] || !brings[1]) && (reply || replyOf(brings[5] ?? ""))) brings = null;
  const again = coming && foundIn(more, message);
  if (again && askedOf("plus", line, sifting) === "plus-guest") [reply, brings] = ["", again];
  let status = brings ? replyOf(brings[1]) : reply;
  if (brings && !brings[1].trim()) status = withoutReply(brings, line, sifting, Boolean(coming));
  line.status = status ||= reply || replyOf(/** @type {string} */ (message.split(/[.?!]\s+/).pop())) || "unread";
  if (status === "unread") return line;
  if (status === "same" && before) {
    line.status = "skip";
    bring(brings, line, before, sender, sifting);
    return line;
  }
  if (status === "only" && brings) {
    [line.text, line.changed, line.status] = [brings[5], true, "in"];
    return line;
  }
  if (before) {
    before.status = "skip";
    [line.guests, line.named] = [brings ? 0 : before.guests, before.named];
  }
  [line.text, line.changed] = [sender.includes(" ") && !sender.includes('"') ? `"${sender}"` : sender, true];
  sifting.said.set(sender, line);
  bring(brings, line, line, sender, sifting);
  return line;
}

/** The name of the choice that was made about a line. @param {string} name @param {Kind} line @param {Sifting} sifting
 * @param {RegExpExecArray | null} [found] @returns {string} */
const askedOf = (name, line, { answers }, found) => askedChoice(name, line.number, line.raw.trim(), answers, found).name;

/** What a message such as “+2” or “+ Dave” says of its sender, “same” where nothing new.
 * @param {RegExpExecArray} brings @param {Kind} line @param {Sifting} sifting @param {boolean} coming */
function withoutReply(brings, line, sifting, coming) {
  if (coming) return "same";
  if (brings[2]) return "maybe";
  if (brings[3] && foundIn(PASTES.patterns.bare_count, brings[0])) return askedOf("guests", line, sifting) === "guests-besides" ? "in" : "among";
  const alone = brings[5] && foundIn(PASTES.patterns.bare_name, brings[0]);
  return alone && askedOf("brings", line, sifting, brings) === "brings-only" ? "only" : "in";
}

/** Note whom a message brings. @param {RegExpExecArray | null} brings @param {Kind} line @param {Kind} host @param {string} sender @param {Sifting} sifting */
function bring(brings, line, host, sender, sifting) {
  if (host.status === "among") [host.status, host.guests] = ["in", -1];
  if (!brings || host.status === "out") return;
  const [, reply, before, many, , named, behind] = brings;
  const [count, name] = [many ? countOf(many) : 1, (named ?? "").trim()];
  const doubtful = name && ([...name][0] === [...name][0].toLowerCase() || foundIn(PASTES.patterns.bare_name, brings[0]));
  if (doubtful && askedOf("brings", line, sifting, brings) === "brings-nobody") return;
  if ((before && reply) || behind || (before && line !== host)) sifting.perhaps.push([line, sender, count, name]);
  else if (name) host.named = [...host.named, name];
  else host.guests += count;
}

/** @param {string} word */
const countOf = (word) => PASTES.counts[word.toLowerCase()] ?? Number(word);

/** Guests without a name, as a party is written. @param {string} host @param {number} count */
const guestsOf = (host, count) => Array.from({ length: Math.max(count, 0) }, (_, n) =>
  PASTES.guest.replace("$1", () => host).replace("$2", n ? `${n + 1} ` : "")).join("");

/** Put beside those who come whom they bring, as far as these have not said otherwise themselves. @param {Sifting} sifting */
function addGuests(sifting) {
  const { said, perhaps, aside } = sifting;
  for (const [line, sender, count, name] of perhaps) {
    const host = /** @type {Kind} */ (said.get(sender));
    if (!comes(host)) continue;
    if (askedOf("maybe", line, sifting) === "maybe-in") {
      if (name) host.named = [...host.named, name];
      else host.guests += count;
    } else if (name) aside.push(["out", name]);
  }
  const themselves = new Map([...said].map(([sender, line]) => [sender.toLowerCase(), line]));
  for (const [sender, line] of said) {
    for (const name of new Set(comes(line) ? line.named : [])) {
      const own = themselves.get(name.toLowerCase());
      if (own && own.number > line.number && !comes(own)) continue;
      if (own && (own === line || own.guests || own.named.length)) continue;
      if (own) own.status = "skip";
      line.text += ` + ${name}`;
    }
    if (comes(line)) line.text += guestsOf(sender, line.guests);
  }
}

/** @param {Kind} line @param {RegExpExecArray} found @param {string} put */
function replaceIn(line, found, put) {
  line.text = (line.text.slice(0, found.index) + put + line.text.slice(found.index + found[0].length)).trim();
  line.changed = true;
}

/** Rewrite what a rule found. @param {Kind} line @param {RegExpExecArray} found @param {any} rule @param {Sifting} sifting */
function putIn(line, found, rule, { aside, partners }) {
  if (rule.aside) aside.push(["out", found[rule.aside]]);
  if (!("put" in rule)) return;
  let put = rule.put;
  if (rule.guests) put += guestsOf(found[1].trim(), countOf(found[rule.guests])).replaceAll("$", "");
  if (rule.tally) put = put.replace("$n", String((found[0].match(new RegExp(rule.tally, "giu")) ?? []).length));
  if (rule.note) {
    const kept = templated(put, found);
    line.whole ||= line.text;
    line.notes.push((kept ? found[0].replace(kept, () => "") : found[0]).replace(/^[ \-–—:]+|[ \-–—:]+$/g, ""));
  }
  if (rule.partner) {
    const [one, other] = [found[1].toLowerCase().trim(), found[2].toLowerCase().replace(/^[ @]+|[ @]+$/g, "")];
    const lead = one.replace(new RegExp(filledIn(PASTES.patterns.lead), "iu"), "");
    if (!partners.has(lead)) partners.set(other, line).set(`${lead} + ${other}`, line);
  }
  if (!rule.all) return replaceIn(line, found, templated(put, found));
  line.text = line.text.replace(new RegExp(filledIn(rule.find), "giu"), (...one) => templated(put, /** @type {any} */ (one))).trim();
  line.changed = true;
}

/** Apply the choice that was made about a line; ask where none was.
 * @param {string} name @param {Kind} line @param {RegExpExecArray | null} found @param {Sifting} sifting @param {any} [rule] */
function askAbout(name, line, found, sifting, rule) {
  const asked = PASTES.asks[name].choices;
  if (name === "maybe" && found) {
    putIn(line, found, rule, sifting);
    line.status = "maybe";
    return;
  }
  const chosen = asked.find((/** @type {any} */ choice) => sifting.answers.has(choice.name));
  if (!chosen) {
    throw new AmbiguousFault(line.number, line.raw.trim(), asked.map((/** @type {any} */ choice) => (found ? templated(choice.says, found) : choice.says)),
      say("choose"), asked.map((/** @type {any} */ choice) => choice.name));
  }
  if (chosen.section) {
    beginSection(chosen.section, line, sifting);
    return;
  }
  line.status = chosen.status ?? (chosen.takes && rule?.status) ?? line.status;
  if (!found || !("put" in chosen)) return;
  if (chosen.best) [line.text, line.changed] = [`${found[1]} ${rankOf(found[2], chosen.best)}`, true];
  else if (chosen.less) [line.text, line.changed] = [`${found[1]} ${Number((chosen.less - Number(found[2] ?? found[3])).toPrecision(6))}`, true];
  else if (chosen.scaled) [line.text, line.changed] = [line.text.slice(0, found.index) + found[1] + scaled(found, sifting), true];
  else if (chosen.middle) [line.text, line.changed] = [`${found[1]} ${(Number(found[2] ?? found[4]) + Number(found[3] ?? found[5])) / 2}`, true];
  else replaceIn(line, found, templated(chosen.put, found));
}

/** A mark such as “4/5” on the largest scale of the text. @param {RegExpExecArray} found @param {Sifting} sifting */
function scaled(found, { counts }) {
  const largest = Math.max(...[5, 10, 20, 100].filter((one) => counts[`of${one}`]));
  return Number((Number(found[2].replace(",", ".")) * largest / Number(found[3])).toPrecision(6));
}

/** What a column of weights says, read as behind a name in a list, and what is left out.
 * @param {{number: number, cell: string}[]} cells @param {Set<string>} answers */
function cellWeights(cells, answers) {
  const lines = cells.map(({ number, cell }) => kindFrom(number, cell, `n ${tidied(cell)}`));
  const sifting = cellContext(lines.map(({ text }) => text), answers);
  for (const line of lines) readCell(line, sifting, ["weight"]);
  return { read: lines.map(({ text }) => text.slice(1).trim()),
    notes: lines.flatMap((line) => line.notes.map((note) => /** @type {[number, string]} */ ([line.number, note]))) };
}

/** Note that a line is a heading, and whether those below it come. @param {string} section @param {Kind} line @param {Sifting} sifting */
function beginSection(section, line, sifting) {
  [sifting.section, line.status] = [section, "unread"];
  sifting.block++;
}

/** A weight for “Gold 2”: 100 a rank, 20 a division; for “A+” 100 a grade, 30 a sign. @param {string} words @param {number} best */
function rankOf(words, best) {
  if (/^[0-9]+$/.test(words)) return 20 * (best === 1 ? 50 - Number(words) : Number(words));
  const grade = /^([a-z])([+–−-]?)$/.exec(words.toLowerCase());
  if (grade && PASTES.grades.includes(grade[1])) return 100 * (PASTES.grades.indexOf(grade[1]) + 1) + (grade[2] === "+" ? 30 : grade[2] ? -30 : 0);
  const [rank, ...rest] = words.toLowerCase().trim().split(" ");
  const short = rank.replace(/[0-9].*/, "");
  const letters = PASTES.rank_aliases[short] ?? short;
  const place = PASTES.divisions.indexOf(rest.join(" ").trim() || rank.slice(short.length) || "3") % 5 + 1;
  return 100 * (PASTES.ranks.indexOf(letters) + 1) + 20 * (best === 1 ? 5 - place : place - 1);
}

/** What an answer says; nothing where it is none. @param {string} text */
const replyOf = (text) => (text && Object.entries(PASTES.replies).find(([, pattern]) => foundIn(pattern, text))?.[0]) || "";

/** The choice that was made about a text. @param {string} name @param {number} number @param {string} text @param {Set<string>} answers
 * @param {RegExpExecArray | null} [found] @returns {any} */
function askedChoice(name, number, text, answers, found = null) {
  const asked = PASTES.asks[name].choices;
  const chosen = asked.find((/** @type {any} */ choice) => answers.has(choice.name));
  if (chosen) return chosen;
  throw new AmbiguousFault(number, text, asked.map((/** @type {any} */ choice) => (found ? templated(choice.says, found) : choice.says)),
    say("choose"), asked.map((/** @type {any} */ choice) => choice.name));
}

/** Which lines match each context. @param {number[]} filled @param {string[]} tidy */
const matchedIn = (filled, tidy) => Object.entries(PASTES.contexts).map(([name, pattern]) =>
  /** @type {[string, boolean[]]} */ ([name, filled.map((at) => foundIn(pattern, tidy[at]) !== null)]));

/** What the names of a table have in common, by which one of them is judged. @param {string[]} names @param {Set<string>} answers @returns {Sifting} */
function cellContext(names, answers) {
  const tidy = names.map(tidied);
  const filled = tidy.length > PASTES.most_lines ? [] : tidy.flatMap((name, at) => (name ? [at] : []));
  const matched = matchedIn(filled, tidy);
  const counts = countsOf(matched, 0);
  return /** @type {any} */ ({ answers, total: filled.length, counts, below: counts, aside: [], partners: new Map() });
}

/** A name in a table without the marks beside it, and whether that player comes.
 * @param {string} name @param {string[]} said what columns say of it @param {number} number @param {Sifting} sifting */
function cellStatus(name, said, number, sifting) {
  const line = kindFrom(number, name, tidied(name));
  if (/^[\p{L}\p{N}_]+$/u.test(line.text)) line.text = name.trim();
  else {
    readCell(line, sifting, [true, "list"]);
    if (sifting.total) line.text = line.text.replace(/^(?:[-*•–—▪◦‣·●○]\s+)?(?:\[[xX✓]\]\s*)?|\s*[✅✔☑👍]\ufe0f?$/gu, "") || line.text;
  }
  for (const cell of said) line.status = replyOf(cell) || line.status;
  if (line.status === "maybe") askAbout("maybe", line, null, sifting);
  return { text: line.text, status: line.status };
}

/** Apply the rules for a kind of cells: those for every text, and those that lines have in common.
 * @param {Kind} line @param {Sifting} sifting @param {any[]} kinds */
function readCell(line, sifting, kinds) {
  for (const rule of PASTES.rules) {
    if (!kinds.includes(rule.cell) || !(rule.cell === true || (sifting.total && holds(rule, line, sifting)))) continue;
    const found = foundIn(rule.find, line.text);
    if (!found) continue;
    if (rule.ask) askAbout(rule.ask, line, found, sifting, rule);
    else {
      putIn(line, found, rule, sifting);
      line.status = rule.status ?? line.status;
    }
    if (["out", "maybe"].includes(line.status) && !rule.all) break;
  }
}

/** Take the numbers off “1 Amber”, “2 Birch” where they count below a heading, or below all of them. @param {Kind[]} lines */
function unnumber(lines) {
  const coming = lines.filter((line) => line.block && comes(line));
  const blocks = [...new Set(coming.map((line) => line.block))].map((block) => coming.filter((line) => line.block === block));
  for (const below of [coming, ...blocks]) {
    const found = below.map((line) => /^([0-9]{1,3})\s+(.*)$/u.exec(line.text));
    if (!found.every((one, at) => one && Number(one[1]) === at + 1)) continue;
    below.forEach((line, at) => { [line.text, line.changed] = [found[at]?.[2] ?? line.text, true]; });
    if (below === coming) return;
  }
}

/** The names in a line of those who do not come, or come late. @param {string} text @returns {string[]} */
function namesIn(text) {
  return text.split(/\s*[,;+]\s*/).map((part) => part.trim().replace(new RegExp(filledIn(PASTES.patterns.lead), "iu"), "")
    .replace(new RegExp(filledIn(PASTES.patterns.weight), "iu"), "").replace(/[\u0334-\u0338]/g, "").replace(/^["* ]+|["* ]+$/g, "")).filter((name) => name);
}

/** Who has a weight that may be a slip: a few, many times above or below the middle one. @param {Player[]} players */
function farFromOthers(players) {
  const rated = players.filter((one) => one.mu !== null).map((one) => /** @type {[string, number]} */ ([one.name, one.mu]));
  const middle = rated.map(([, mu]) => mu).sort((one, other) => one - other)[rated.length >> 1] ?? 0;
  const far = rated.filter(([, mu]) => !(middle < PASTES.far_times * mu && mu < PASTES.far_times * middle));
  return far.length * PASTES.far_among <= rated.length ? far.map(([name, mu]) => `${quoted(name)} ${mu}`) : [];
}

/** What was read of a paste, in a sentence. @param {Player[]} players @param {Heard} heard */
function readIn(players, heard) {
  const parties = new Map();
  for (const { party } of players) if (party !== null) parties.set(party, (parties.get(party) ?? 0) + 1);
  const duos = [...parties.values()].filter((size) => size === 2).length;
  const rated = players.some((one) => one.mu !== null);
  /** @type {[string, number][]} */
  const counts = [["players", players.length], ["duos", duos], ["parties", parties.size - duos],
    ["unrated", rated ? players.filter((one) => one.mu === null).length : 0], ["late", heard.late.length], ["out", heard.out.length]];
  const parts = counts.filter(([key, count]) => key === "players" || count)
    .map(([key, count]) => say(`read_${key}${count === 1 ? "_one" : ""}`, { count }));
  const notes = [...new Set(heard.notes.map(([, text]) => quoted(text)))].join(", ");
  const far = farFromOthers(players).join(", ");
  return [`${parts.join(", ")}.`, ...(far ? [say("far_from_others", { notes: far })] : []), ...heard.unread.map(([, text]) => say("not_read", { text: quoted(text) })),
    ...(notes ? [say("beside_names", { notes })] : [])];
}
