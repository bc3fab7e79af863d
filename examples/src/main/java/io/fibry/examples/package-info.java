/** Small programs that show how Fibry is used. {@link io.fibry.examples.Examples} lists and runs them. */
package io.fibry.examples;
