/** A real browser without a window, for the tests of pages. */
package io.fibry.browser;
