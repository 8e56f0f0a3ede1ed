import { useState } from 'react';
import { downloadFrom } from '../../lib/download.ts';
import type { Problem } from '../../lib/problem.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button, type Size } from '../../ui/Button.tsx';

/** Fetches a file over the session and gives it to the reader; says what the server said where it refuses. */
export function FileButton({
  path,
  name,
  size = 'small',
  children,
}: {
  readonly path: string;
  /** The file's name where the server gives none. */
  readonly name: string;
  readonly size?: Size;
  readonly children: string;
}) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const fetchIt = async () => {
    setBusy(true);
    setProblem(await downloadFrom(path, name));
    setBusy(false);
  };
  return (
    <>
      <Button size={size} busy={busy} onClick={() => void fetchIt()}>
        {children}
      </Button>
      <Refusal problem={problem} />
    </>
  );
}
