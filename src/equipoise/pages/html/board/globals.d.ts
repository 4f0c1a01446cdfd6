// What the page puts before its script: the catalogue's texts.
declare const TEXTS: Record<string, string>;
