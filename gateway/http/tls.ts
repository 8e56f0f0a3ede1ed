import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import {
  type ClientCertificates,
  certificatesIn,
  createClientCertificates,
} from '@landfall/kernel/http/client-certificates';
import { createAddresses, createProxies } from '@landfall/kernel/http/proxies';
import type { Log } from '@landfall/kernel/system/log';
import { type ProcessSettings, publicUrls } from '../settings/process-settings.ts';

/** Interval in milliseconds between two checks for a certificate renewed on disk. */
const HOUR_MS = 3_600_000;

/** TLS of the public listeners, and the source of clients' certificates. */
export interface Tls extends Disposable {
  /** Creates an HTTPS server for a listener; undefined if a proxy terminates TLS, or there is none. */
  server(): Server | undefined;
  readonly certificateOf: ClientCertificates;
  /** Client address of a request, behind the trusted proxies. */
  addressOf(request: IncomingMessage): string;
  /** Certificate of the authority's own listener, the only one that callers in this installation trust. */
  readonly own: Own | undefined;
  /** Reads the files again, since they may have been renewed. Invalid files change nothing. */
  renew(): Promise<void>;
}

interface Own {
  /** Current certificate in PEM. */
  ca(): string;
  /** Name in the certificate by which clients call the authority. */
  readonly name: string;
}

type TlsSettings = ProcessSettings;

const read = async (setting: string, path: string | undefined): Promise<string | undefined> => {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new Error(`${setting}: ${path} cannot be read (${reason}).`);
  }
};

interface Material {
  readonly context: SecureContextOptions | undefined;
  readonly roots: string | undefined;
}

const checked = (setting: string, check: () => void): void => {
  try {
    check();
  } catch (error) {
    throw new Error(`${setting}: ${error instanceof Error ? error.message : error}.`);
  }
};

/** Reads certificate, key and client roots. Throws an Error that names the invalid setting. */
const readMaterial = async (settings: TlsSettings): Promise<Material> => {
  const { tlsCertificateFile, tlsKeyFile, tlsClientCaFile } = settings;
  const cert = await read('Tls:CertificateFile', tlsCertificateFile);
  const key = await read('Tls:KeyFile', tlsKeyFile);
  const roots = await read('Tls:ClientCaFile', tlsClientCaFile);
  if ((cert === undefined) !== (key === undefined))
    throw new Error('Tls:CertificateFile and Tls:KeyFile belong together: set both, or neither.');
  checked('Tls:ClientCaFile', () => {
    if (roots !== undefined && certificatesIn(roots).length === 0) throw new Error('holds no certificate in PEM');
  });
  if (cert === undefined || key === undefined) return { context: undefined, roots };
  // Without configured roots no chain is accepted: the public web authorities are not trusted here.
  const context = { cert, key, ca: certificatesIn(roots ?? '').map(String) };
  checked('Tls:CertificateFile', () => void createSecureContext(context));
  return { context, roots };
};

const hostName = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** Proxy headers with a client's certificate and address. Throws an Error with one that is set without proxies. */
const headersOf = ({ trustedProxies, certificateHeader, addressHeader }: TlsSettings) =>
  [['Proxies:CertificateHeader', certificateHeader] as const, ['Proxies:AddressHeader', addressHeader] as const].map(
    ([setting, header]) => {
      if (header !== undefined && trustedProxies.length === 0)
        throw new Error(`${setting} is believed of nobody: name the proxies in Proxies:Trusted.`);
      return header?.toLowerCase();
    },
  );

/** Creates TLS from the settings. Throws an Error that names an invalid setting. */
export const createTls = async (settings: TlsSettings, log: Pick<Log, 'warn'>): Promise<Tls> => {
  const { context, roots } = await readMaterial(settings);
  const proxies = createProxies(settings.trustedProxies);
  const [header, addressHeader] = headersOf(settings);
  const servers: Server[] = [];
  let latest = context;

  const renew = async (): Promise<void> => {
    try {
      const { context: renewed } = await readMaterial(settings);
      if (!renewed) return;
      latest = renewed;
      for (const server of servers) server.setSecureContext(renewed);
    } catch (error) {
      log.warn({ err: error }, 'the listeners keep their certificate for now');
    }
  };
  const renewal = context && setInterval(() => void renew(), HOUR_MS).unref();

  return {
    server() {
      if (!context) return undefined;
      // A certificate is requested and not required, and verified by the code that needs it: most clients have none.
      const server = createServer({ ...latest, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' });
      servers.push(server);
      return server;
    },
    addressOf: createAddresses(proxies, addressHeader),
    certificateOf: createClientCertificates({ proxies, header, roots }, () => new Date()),
    own: context && { ca: () => String(latest?.cert), name: hostName(publicUrls(settings).authUrl) },
    renew,
    [Symbol.dispose]: () => clearInterval(renewal),
  };
};
