// A device: what it keeps, what it alone knows, and how it hears events.

/** Where this page keeps things; a browser that keeps nothing has them while the page is open.
 * Where there is no room left, evenings as they were seen give way: the service tells them again. */
export const kept = (() => {
  /** @type {Record<string, string>} */
  const here = {};
  /** @param {string} name @param {string | null} value */
  const write = (name, value) => (value === null ? localStorage.removeItem(name) : localStorage.setItem(name, value));
  const seen = () => Object.keys(localStorage).filter((name) => /^equipoise:.*:view$/.test(name));
  return {
    /** @param {string} name @returns {string | null} */
    get(name) {
      try { return here[name] ?? localStorage.getItem(name); } catch { return here[name] ?? null; }
    },
    /** @param {string} name @param {string | null} value */
    set(name, value) {
      try {
        try { write(name, value); } catch {
          for (const each of seen()) write(each, null);
          write(name, value);
        }
        delete here[name];
      } catch { here[name] = value ?? ""; }
    },
  };
})();

/** Letters nobody guesses; pages without TLS have this too. @param {number} bytes */
export function random(bytes) {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (each) => each.toString(16).padStart(2, "0")).join("");
}

/** This device, which no page shows to anybody else. */
export const device = kept.get("equipoise:device") ?? random(16);
kept.set("equipoise:device", device);

/** Hear the events of a stream until it ends. @param {ReadableStream<Uint8Array>} body @param {(kind: string, data: string) => void} heard @param {() => void} alive called with every sign of life */
export async function told(body, heard, alive) {
  const reader = body.pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    text += value;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const each of events) {
      const lines = each.split("\n");
      const kind = lines.find((line) => line.startsWith("event: "))?.slice(7);
      if (kind) heard(kind, lines.find((line) => line.startsWith("data: "))?.slice(6) ?? "");
    }
  }
}
