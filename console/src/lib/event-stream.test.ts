import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventReader, type StreamEvent } from './event-stream.ts';

function read(...pieces: readonly string[]): StreamEvent[] {
  const events: StreamEvent[] = [];
  const piece = createEventReader((event) => events.push(event));
  for (const each of pieces) piece(each);
  return events;
}

const message = (data: string, id = ''): StreamEvent => ({ name: 'message', data, id });

test('an event that arrives in pieces is one event', () => {
  assert.deepEqual(read('id: 7\nda', 'ta: {"a"', ':1}\n', '\n'), [message('{"a":1}', '7')]);
});

test('every line end counts, and a carriage return at the edge of a piece waits for its line feed', () => {
  assert.deepEqual(read('data: a\r', '\n\r\ndata: b\r\rdata: c\n\n'), [message('a'), message('b'), message('c')]);
});

test('comments are heartbeats, several data lines are one text, and an id holds until the next', () => {
  assert.deepEqual(read(': beat\n\nid: 1\ndata: a\ndata: b\n\ndata: c\n\n'), [message('a\nb', '1'), message('c', '1')]);
});

test('an event has its name, and the next one has it no longer', () => {
  assert.deepEqual(read('event: llm_status\ndata: {}\n\ndata: 1\n\n'), [
    { name: 'llm_status', data: '{}', id: '' },
    message('1'),
  ]);
});

test('a name without data is no event, and names nothing after it', () => {
  assert.deepEqual(read('event: grounding\n\ndata: 1\n\n'), [message('1')]);
});

test('one space after the colon belongs to the form, a field without a colon is empty', () => {
  assert.deepEqual(read('data:  two\ndata:none\ndata\n\n'), [message(' two\nnone\n')]);
});

test('however a stream is cut, it says the same', () => {
  const stream =
    'event: deterministic\r\ndata: {"text":"é 🚢"}\r\n\r\n: beat\r\n\r\nevent: synthesis_end\rdata: {}\r\rx: y\n\n';
  const complete = read(stream);
  assert.equal(complete.length, 2);
  for (let index = 0; index <= stream.length; index++)
    assert.deepEqual(read(stream.slice(0, index), stream.slice(index)), complete);
  assert.deepEqual(read(...stream), complete);
});
