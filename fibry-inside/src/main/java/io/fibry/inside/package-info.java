/**
 * A live page that shows what the actors of a program do: scopes, rates, mailboxes, slow handlers, actors that wait for one
 * another, and events as they happen. {@link io.fibry.inside.Inside} opens it.
 */
@NullMarked
package io.fibry.inside;

import org.jspecify.annotations.NullMarked;
