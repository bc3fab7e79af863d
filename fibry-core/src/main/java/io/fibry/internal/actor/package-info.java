/**
 * The kernel: an actor, its turn, its messages and their answers, its end. It does not know scopes, mailboxes and features, but
 * declares what it needs of them: {@link io.fibry.internal.actor.Host}, {@link io.fibry.internal.actor.Mailbox},
 * {@link io.fibry.internal.actor.Features}, {@link io.fibry.internal.actor.StandIn} and small interfaces beside them.
 *
 * <p>It may use {@code limit}, {@code context}, {@code run} and what is below them.
 *
 * <p>Terms: A <em>cell</em> is an actor as the engine sees it, a <em>handle</em> the same as users see it. A <em>node</em> is one entry of a mailbox. A
 * <em>turn</em> is one activation of an actor, the job of the kernel. Turns <em>nest</em> where one runs on the stack of another actor,
 * which waits for it. A <em>companion</em> ({@link io.fibry.internal.actor.ExtendedState}) is everything about an actor that most actors
 * never need. A <em>guest</em> is a turn that only stands for its actor while code of that actor runs elsewhere. An <em>edge</em> says
 * for whom an actor waits.
 */
@NullMarked
package io.fibry.internal.actor;

import org.jspecify.annotations.NullMarked;
