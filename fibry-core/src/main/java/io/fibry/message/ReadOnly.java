package io.fibry.message;

import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.Actors;

/**
 * A message that only reads the state of an actor. An actor that is built with {@link ActorBuilder#readers(int)} handles
 * such messages side by side, each on a virtual thread of its own. Any other actor handles them as it handles all
 * messages.
 *
 * <pre>{@code
 * record Balance(String account) implements Request<Long>, ReadOnly {
 * }
 * }</pre>
 *
 * <p>All other messages are writers, and so is code that is given to the actor or that runs while the actor is {@linkplain
 * Actors#holding held}. A writer begins when all messages before it have been handled, and what comes after it begins
 * when it has ended. So a sender's reads see its earlier writes, and not its later ones. Readers between two writers
 * may begin and end in any order. No thread waits for the readers. The end of the actor, a restart and a poison pill
 * come after the readers that have begun; a forced stop interrupts them. The watchdog reports each reader that works for too
 * long. An actor is not idle while its readers run.
 *
 * <p>A reader must not change what it reads, since others read it at the same time. It may ask other actors, send messages,
 * answer, and defer its reply. An ask of the actor itself, from a reader or through others, is a cycle. Methods of
 * its {@link ActorContext} that would change the actor, such as {@code timers}, {@code child} and {@code become},
 * throw an {@link IllegalStateException}. The failure policy is applied when the readers have ended, before
 * anything else begins; once, for the
 * first failure, if several of them have failed.
 *
 * <p>Receiving actors, bodies, workers, groups, servers, actors with {@code abandonStuck}, {@code runByCallers}, {@code
 * interruptOnCancel}, {@code stash}, {@code urgent}, batches or a limit of their rate, and actors on threads that do not
 * belong to the library cannot be built so; the method that makes them throws an {@link IllegalStateException}.
 */
public interface ReadOnly {
}
