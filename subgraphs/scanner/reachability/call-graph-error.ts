export type CallGraphReason =
  | 'not_json'
  | 'not_a_call_graph'
  | 'unknown_symbol'
  | 'no_entries'
  | 'too_many_symbols'
  | 'too_many_edges'
  | 'too_many_sinks'
  | 'too_large'
  | 'damaged';

/** A call graph that is refused. `reason` is stable; the message says what is wrong and may be shown to its sender. */
export class CallGraphError extends Error {
  override readonly name = 'CallGraphError';
  readonly reason: CallGraphReason;

  constructor(reason: CallGraphReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
