import { type Problem, problemOf, problemOfAnswer } from './problem.ts';
import { sessionFetch } from './session.ts';

export const download = (name: string, type: string, content: BlobPart): void =>
  give(name, new Blob([content], { type }));

/** Downloads a file of the REST interface over the session; returns the problem on failure. */
export async function downloadFrom(path: string, name: string): Promise<Problem | undefined> {
  try {
    const answer = await sessionFetch(path);
    if (!answer.ok) return problemOfAnswer(answer.status, await answer.text());
    give(fileName(answer.headers.get('content-disposition')) ?? name, await answer.blob());
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

/** File name of a Content-Disposition header (RFC 6266); undefined unless it is a bare file name. */
export const fileName = (disposition: string | null): string | undefined =>
  /\bfilename="?([\w.+-]+)"?(?:;|$)/.exec(disposition ?? '')?.[1];

function give(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Rows as CSV (RFC 4180), the head first. Cells that a spreadsheet would run as a formula are quoted as text. */
export function csv(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
