/** This module declares style sheets as imports that the bundler resolves. */
declare module "*.css";
