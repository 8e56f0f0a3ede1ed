import { CallGraphError } from './call-graph-error.ts';

const MAX_LINE = 1024 * 1024;

/** Lines of a text in UTF-8, without their ends; empty lines are left out. @throws CallGraphError for a line above 1 MiB */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of source) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw new CallGraphError('too_large', 'A line is longer than 1 MiB.');
    for (const line of lines) if (line !== '') yield line;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
