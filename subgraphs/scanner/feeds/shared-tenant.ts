/** Tenant of what belongs to the installation and is read by everybody (decision 023). */
export const SHARED = '*';
