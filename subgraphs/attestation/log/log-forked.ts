/** Contradiction between the log's rows and what was signed. Nothing more is signed until an operator acts. */
export class LogForked extends Error {
  override readonly name = 'LogForked';
}
