import { useState } from 'react';
import { useCommands } from '../lib/commands.ts';
import { downloadFrom } from '../lib/download.ts';
import type { Problem } from '../lib/problem.ts';
import { ActionError } from '../ui/Banner.tsx';
import { Button, type Size } from '../ui/Button.tsx';

type FileButtonProps = {
  readonly path: string;
  /** File's name where the server gives none. */
  readonly name: string;
  readonly size?: Size;
  /** Keyboard shortcut of the page's main file; it is in the palette too. */
  readonly keys?: string;
  readonly children: string;
};

export function FileButton({ path, name, size = 'small', keys, children }: FileButtonProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const fetchIt = async () => {
    setBusy(true);
    setProblem(await downloadFrom(path, name));
    setBusy(false);
  };
  useCommands(keys === undefined ? [] : [{ id: `file.${path}`, keys, title: children, run: () => void fetchIt() }]);
  return (
    <>
      <Button size={size} busy={busy} onClick={() => void fetchIt()}>
        {children}
      </Button>
      <ActionError problem={problem} />
    </>
  );
}
