/** A chat over web sockets. */
package io.fibry.examples.chat;
