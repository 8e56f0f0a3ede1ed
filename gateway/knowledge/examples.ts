/** Matches the start or end of a fenced code block. */
const FENCE = /^\s*(```|~~~)/;

/** Splits a text into prose and fenced code. */
export const withoutCode = (text: string): { readonly prose: string; readonly code: string } => {
  const prose: string[] = [];
  const code: string[] = [];
  let mark: string | undefined;
  for (const line of text.split('\n')) {
    const found = FENCE.exec(line)?.[1];
    if (found !== undefined && (mark === undefined || mark === found)) mark = mark === undefined ? found : undefined;
    else (mark === undefined ? prose : code).push(line);
  }
  return {
    prose: prose
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    code: code.join('\n'),
  };
};

const MAX_NAMES = 12;
/** Matches commands. */
const COMMAND =
  /^\s*(?:\$ )?(?:npm run landfall -- |npx landfall |landfall )((?:[a-z][a-z-]*)(?: [a-z][a-z-]*){0,2})(?=\s|$)/gm;
const SCRIPT = /^\s*(?:\$ )?(npm (?:start|test|run [a-z][a-z:-]*))(?=\s|$)/gm;
const SETTING = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;

const once = (names: Iterable<string>): string[] => [...new Set(names)].slice(0, MAX_NAMES);

/** Lists the commands in examples by name: `landfall search import`, `npm start`. */
export const commandsIn = (code: string): string[] =>
  once([
    ...[...code.matchAll(COMMAND)].map(([, words = '']) => `landfall ${words}`),
    ...[...code.matchAll(SCRIPT)].flatMap(([, name = '']) => (name === 'npm run landfall' ? [] : [name])),
  ]);

/** Lists the settings in examples: `LANDFALL_PORT`. */
export const settingsIn = (code: string): string[] =>
  once([...code.matchAll(SETTING)].map(([name]) => name).filter((name) => name.startsWith('LANDFALL_')));
