import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** PostgreSQL's default, `scram_iterations`. */
const ITERATIONS = 4096;

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * A password in the form that PostgreSQL keeps (SCRAM-SHA-256, RFC 5803), so that the statement that sets it, which a
 * server may log, does not hold the password.
 */
export const scramVerifier = async (password: string, salt = randomBytes(16)): Promise<string> => {
  const salted = await promisify(pbkdf2)(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256');
  const stored = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64');
  const server = hmac(salted, 'Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
};
