import { codes, type FaultCode } from '@landfall/schema/codes';

/** Fault of one input field, an entry of `validationErrors` (spec 2.11). `field` is a dotted path. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
  readonly code: FaultCode;
}

/** A failure the caller can act on. Anything else that is thrown is a bug and is masked. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly fields: readonly FieldFault[];

  constructor(
    code: FaultCode,
    message: string,
    details?: Readonly<Record<string, unknown>>,
    fields: readonly FieldFault[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
    this.fields = fields;
  }

  get status(): number {
    return codes[this.code].status;
  }
}

/** Combines field faults into one Fault, with the code of the first field (rulings 24). */
export const invalid = (fields: readonly [FieldFault, ...FieldFault[]]): Fault =>
  new Fault(fields[0].code, fields[0].message, undefined, fields);

/** Whether a Fault is a server error with a cause that the caller does not see and the log must record. */
export const hidesCause = ({ status, cause }: Fault): boolean => status >= 500 && cause !== undefined;

/** Returns a Fault unchanged and masks any other error as SYS_INTERNAL_ERROR without its text. */
export const asFault = (error: unknown): Fault =>
  error instanceof Fault
    ? error
    : new Fault('SYS_INTERNAL_ERROR', 'Something went wrong on our side. Report the request id.', undefined, [], {
        cause: error,
      });
