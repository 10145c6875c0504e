/**
 * True for what Kubernetes sets in every container of a namespace with a Service named `postrider`, or
 * `postrider-` and more. Such a variable may bear the name of a setting, as `POSTRIDER_PORT` does.
 */
export function isOfKubernetes(name: string, text: string): boolean {
  return SERVICE_ADDRESS.test(name) || (name.endsWith("PORT") && SERVICE_URL.test(text));
}

const SERVICE_ADDRESS = /_SERVICE_HOST$|_SERVICE_PORT(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;
const SERVICE_URL = /^(?:tcp|udp|sctp):\/\//;
