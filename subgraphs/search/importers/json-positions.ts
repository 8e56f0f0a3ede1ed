const TOKEN =
  /\s*(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true\b|false\b|null\b))/y;

type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'after';

interface Machine {
  expected: Expected;
  readonly open: string[];
}

const closes = (machine: Machine, mark: string): boolean => {
  const isEnd = machine.expected === 'after' || machine.expected === (mark === '}' ? 'firstKey' : 'firstValue');
  if (!isEnd || machine.open.pop() !== (mark === '}' ? '{' : '[')) return false;
  machine.expected = 'after';
  return true;
};

const stepMark = (machine: Machine, mark: string): boolean => {
  const isValue = machine.expected === 'value' || machine.expected === 'firstValue';
  if (mark === '}' || mark === ']') return closes(machine, mark);
  if (mark === ':') {
    if (machine.expected !== 'colon') return false;
    machine.expected = 'value';
    return true;
  }
  if (mark === ',') {
    const inner = machine.open.at(-1);
    if (machine.expected !== 'after' || inner === undefined) return false;
    machine.expected = inner === '{' ? 'key' : 'value';
    return true;
  }
  if (!isValue) return false;
  machine.open.push(mark);
  machine.expected = mark === '{' ? 'firstKey' : 'firstValue';
  return true;
};

const stepString = (machine: Machine): boolean => {
  if (machine.expected === 'key' || machine.expected === 'firstKey') {
    machine.expected = 'colon';
    return true;
  }
  return stepValue(machine);
};

const stepValue = (machine: Machine): boolean => {
  if (machine.expected !== 'value' && machine.expected !== 'firstValue') return false;
  machine.expected = 'after';
  return true;
};

/**
 * Offset of the first syntax error in UTF-16 units; the length of a truncated text. For texts that JSON.parse rejects.
 */
const syntaxErrorOffset = (text: string): number => {
  const machine: Machine = { expected: 'value', open: [] };
  const token = new RegExp(TOKEN);
  for (;;) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (!match) return at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
    const [, mark, string] = match;
    const fits =
      mark !== undefined ? stepMark(machine, mark) : string !== undefined ? stepString(machine) : stepValue(machine);
    if (!fits) return token.lastIndex - 1;
  }
};

export const countLines = (text: string, end = text.length): number => {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
};

/** Line numbers of ascending offsets in one pass. */
const lineCounter = (text: string): ((at: number) => number) => {
  let line = 1;
  let next = text.indexOf('\n');
  return (at) => {
    for (; next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line++;
    return line;
  };
};

/** Lines at which elements of a list of the outermost object begin. For valid JSON. */
const linesOf = (text: string, list: string): number[] => {
  const token = new RegExp(TOKEN);
  const lineAt = lineCounter(text);
  let lines: number[] = [];
  let [depth, key, isKey, begins] = [0, '', false, false];
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [all, mark, string] = match;
    if (mark === '}' || mark === ']') depth--;
    const isInside = depth === 2 && key === list;
    if (isInside && begins && mark !== ',') lines.push(lineAt(match.index + all.length - all.trimStart().length));
    begins = isInside && mark === ',';
    if (depth === 1 && isKey && string !== undefined) key = string.slice(1, -1);
    isKey = depth === 1 && (mark === ',' || mark === '{');
    if (mark !== '{' && mark !== '[') continue;
    isKey = depth === 0;
    if (++depth !== 2 || key !== list) continue;
    // The last of several lists with one name is read.
    begins = true;
    lines = [];
  }
  return lines;
};

/** Lines, from 1, at which elements of a list of the outermost object begin; empty if unknown. */
export const elementLines = (text: string, list: string): readonly number[] => {
  try {
    return linesOf(text, list);
  } catch {
    return [];
  }
};

/** Line of a text, from 1, with its first JSON syntax error. */
export const syntaxErrorLine = (text: string): number => {
  try {
    return countLines(text, syntaxErrorOffset(text)) + 1;
  } catch {
    // Backtracking over a string of many megabytes would overflow the stack of a regular expression.
    return 1;
  }
};
