import { compilePattern, type Instruction } from './pattern-program.ts';
import { MAX_PATTERN, NONE, PatternError, parsePattern } from './pattern-syntax.ts';

/** Steps that a search may still take, shared by all searches of a request. */
export interface Budget {
  steps: number;
}

interface Thread {
  readonly at: number;
  /** Start and end of the match and of its first group, as indexes of characters. */
  readonly saved: readonly (number | undefined)[];
}

/** Match: the whole text, and the first group where the pattern has one that took part. */
interface Match {
  readonly text: string;
  readonly group: string | undefined;
}

interface LinearPattern {
  /** Finds all matches from left to right, none of them empty; undefined once the budget is used up. */
  findAll(text: string, budget: Budget): Match[] | undefined;
}

/** State of one search: the program, the text, and where in it the threads are. */
interface Search {
  readonly program: readonly Instruction[];
  readonly characters: readonly number[];
  readonly budget: Budget;
}

/** Follows threads to the instructions that read a character, each once, in order of preference. */
const closure = ({ program, characters, budget }: Search, position: number, threads: readonly Thread[]): Thread[] => {
  const [before, after] = [characters[position - 1] ?? NONE, characters[position] ?? NONE];
  const visited = new Set<number>();
  const reached: Thread[] = [];
  // Depth is bounded by the size of the program: each instruction is visited once at a position.
  const follow = (at: number, saved: Thread['saved']): void => {
    if (visited.has(at)) return;
    visited.add(at);
    budget.steps -= 1;
    const instruction = program[at];
    switch (instruction?.op) {
      case 'jump':
        follow(instruction.to, saved);
        return;
      case 'split':
        follow(instruction.first, saved);
        follow(instruction.second, saved);
        return;
      case 'save':
        follow(at + 1, saved.with(instruction.slot, position));
        return;
      case 'assert':
        if (instruction.holds(before, after)) follow(at + 1, saved);
        return;
      default:
        reached.push({ at, saved });
    }
  };
  for (const { at, saved } of threads) follow(at, saved);
  return reached;
};

/** Moves threads over a character. A thread that matches ends those after it, which are less preferred. */
const advance = ({ program, characters }: Search, position: number, reached: readonly Thread[]) => {
  const threads: Thread[] = [];
  for (const { at, saved } of reached) {
    const instruction = program[at];
    if (instruction?.op === 'match') {
      // An empty match is none.
      if (saved[0] !== position) return { threads, found: saved.with(1, position) };
    } else if (
      instruction?.op === 'one' &&
      position < characters.length &&
      instruction.matches(characters[position] ?? NONE)
    )
      threads.push({ at: at + 1, saved });
  }
  return { threads, found: undefined };
};

/** Finds the leftmost match from a character on; `spent` once the budget is used up. */
const findFrom = (search: Search, start: number, unsaved: Thread['saved']): Thread['saved'] | undefined | 'spent' => {
  let threads: readonly Thread[] = [];
  let found: Thread['saved'] | undefined;
  for (let position = start; position <= search.characters.length; position++) {
    // A search that found something begins nowhere else.
    const begun = found === undefined ? [...threads, { at: 0, saved: unsaved.with(0, position) }] : threads;
    const moved = advance(search, position, closure(search, position, begun));
    if (search.budget.steps < 0) return 'spent';
    found = moved.found ?? found;
    ({ threads } = moved);
    if (found !== undefined && threads.length === 0) return found;
  }
  return found;
};

/** Compiles a pattern; throws PatternError for one that is not of the subset, or too large. */
export const linearPattern = (pattern: string): LinearPattern => {
  if (pattern.length > MAX_PATTERN) throw new PatternError(`the pattern is longer than ${MAX_PATTERN} characters`);
  const program = compilePattern(parsePattern(pattern));
  const unsaved: Thread['saved'] = [undefined, undefined, undefined, undefined];
  return {
    findAll(text, budget) {
      const characters = Array.from(text, (character) => character.codePointAt(0) ?? NONE);
      const between = (from: number | undefined, to: number | undefined): string | undefined =>
        from === undefined || to === undefined ? undefined : String.fromCodePoint(...characters.slice(from, to));
      const matches: Match[] = [];
      for (let start = 0; start < characters.length; ) {
        const saved = findFrom({ program, characters, budget }, start, unsaved);
        if (saved === 'spent') return undefined;
        if (!saved) break;
        matches.push({ text: between(saved[0], saved[1]) ?? '', group: between(saved[2], saved[3]) });
        start = saved[1] ?? characters.length;
      }
      return matches;
    },
  };
};
