import type { ServiceSql } from "../../reads/service.ts";

export const SERVICE_SQL: ServiceSql = { durability: "SELECT 'disk' AS durability" };
