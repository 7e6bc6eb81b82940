// A worker that answers what the test vectors ask.

import * as klero from "klero";
import * as token from "klero/token";
import { answers } from "./token-vectors.js";
import { check } from "./vectors.js";

export default {
  async fetch(request) {
    try {
      const asked = await request.json();
      const { pathname } = new URL(request.url);
      return Response.json(pathname === "/vectors" ? check(klero, asked) : answers(token, asked));
    } catch (error) {
      return new Response(`${error.stack}`, { status: 500 });
    }
  },
};
