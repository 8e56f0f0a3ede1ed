/**
 * Error: the log's rows contradict what was signed. Nothing more is signed and no proof is given until an operator has
 * investigated.
 */
export class LogForked extends Error {
  override readonly name = 'LogForked';
}
