/**
 * State machines as actors: states and events are enums or sealed types, and a table that is checked when it is built says
 * what each state does with an event.
 *
 * <pre>{@code
 * enum Door { CLOSED, OPEN }
 * enum Press { PUSH, KICK }
 *
 * var table = TransitionTable.of(Door.class, Press.class, AtomicInteger::new)
 *         .state(Door.CLOSED, closed -> closed
 *                 .on(Press.PUSH).run((step, press) -> step.data().incrementAndGet()).goTo(Door.OPEN)
 *                 .on(Press.KICK).ignore())
 *         .state(Door.OPEN, open -> open
 *                 .after(Duration.ofSeconds(30)).goTo(Door.CLOSED)
 *                 .on(Press.PUSH).postpone()
 *                 .on(Press.KICK).goTo(Door.CLOSED))
 *         .build(Door.CLOSED);
 * var door = StateMachine.open(scope, "door", table);
 * door.send(Press.PUSH);
 * door.awaitState(Door.OPEN).get();
 * }</pre>
 */
@NullMarked
package io.fibry.fsm;

import org.jspecify.annotations.NullMarked;
