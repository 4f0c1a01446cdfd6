// What the page puts before its script: the catalogue's texts, and the fields of requests that it keeps to.
declare const FIELDS: string[];
/** The grammar of pastes: rules, contexts, questions. */
declare const PASTES: { rules: any[], contexts: Record<string, string>, asks: Record<string, { choices: any[] }>,
  replies: Record<string, string>, ranks: string[], guest: string, joined: string, divisions: string[], grades: string[], most_lines: number, most_signs: number, far_times: number, far_among: number, parts: Record<string, string>,
  patterns: Record<string, string>, titles: Record<string, string>, rank_aliases: Record<string, string>, counts: Record<string, number> };
declare const TEXTS: Record<string, string>;
