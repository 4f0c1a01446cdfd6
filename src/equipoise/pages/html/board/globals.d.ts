// What the page puts before its script: the catalogue's texts, and the fields of requests that it keeps to.
declare const FIELDS: string[];
declare const TEXTS: Record<string, string>;
