/** The log's rows contradict what was signed: nothing is signed and no proof is given until somebody has looked. */
export class LogForked extends Error {
  override readonly name = 'LogForked';
}
