import { type Matches, type Node, PatternError } from './pattern-syntax.ts';

/** Instruction of the automaton. A `split` prefers its first continuation. */
export type Instruction =
  | { readonly op: 'one'; readonly matches: Matches }
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'save'; readonly slot: number }
  | { readonly op: 'assert'; readonly holds: (before: number, after: number) => boolean }
  | { readonly op: 'match' };

const MAX_INSTRUCTIONS = 400;
/** Parts that are compiled, each as often as it is repeated: a part that matches nothing emits no instruction. */
const MAX_PARTS = 4_000;

/** Compiles a parsed pattern to instructions; throws PatternError where there are too many. */
export const compilePattern = (root: Node): readonly Instruction[] => {
  const program: Instruction[] = [];
  let parts = 0;
  const emit = <Kind extends Instruction>(instruction: Kind): Kind => {
    if (program.length >= MAX_INSTRUCTIONS) throw new PatternError('the pattern is too large');
    program.push(instruction);
    return instruction;
  };
  const split = (isLazy: boolean) => {
    const instruction = emit({ op: 'split' as const, first: 0, second: 0 });
    const enter = program.length;
    return {
      /** Sets the continuation that leaves, once its place is known. */
      leave: (to: number): void => {
        instruction.first = isLazy ? to : enter;
        instruction.second = isLazy ? enter : to;
      },
    };
  };
  const countPart = (): void => {
    parts += 1;
    if (parts > MAX_PARTS) throw new PatternError('the pattern is too large');
  };
  const add = (node: Node): void => {
    countPart();
    switch (node.kind) {
      case 'one':
        emit({ op: 'one', matches: node.matches });
        return;
      case 'assert':
        emit({ op: 'assert', holds: node.holds });
        return;
      case 'sequence':
        for (const item of node.items) add(item);
        return;
      case 'group':
        emit({ op: 'save', slot: 2 });
        add(node.item);
        emit({ op: 'save', slot: 3 });
        return;
      case 'choice': {
        const ends = node.items.slice(0, -1).map((item) => {
          const branch = split(false);
          add(item);
          const end = emit({ op: 'jump' as const, to: 0 });
          branch.leave(program.length);
          return end;
        });
        const last = node.items.at(-1);
        if (last) add(last);
        for (const end of ends) end.to = program.length;
        return;
      }
      case 'repeat': {
        const { item, min, max, isLazy } = node;
        for (let i = 0; i < min; i++) add(item);
        if (max === Infinity) {
          const start = program.length;
          const loop = split(isLazy);
          add(item);
          emit({ op: 'jump', to: start });
          loop.leave(program.length);
          return;
        }
        const optional = Array.from({ length: max - min }, () => {
          const branch = split(isLazy);
          add(item);
          return branch;
        });
        for (const branch of optional) branch.leave(program.length);
        return;
      }
    }
  };
  add(root);
  emit({ op: 'match' });
  return program;
};
