// The module that the service makes of a page's texts.
declare const texts: Record<string, string>;
export default texts;
