/**
 * A test kit for programs that use Fibry.
 *
 * <ul>
 * <li>{@link io.fibry.test.ActorTest} is the annotation of a JUnit test that runs under many schedules. {@link
 * io.fibry.test.TestSchedule} is one of them: it decides which thread goes on, and what the time is, and its seed replays it.
 * <li>A {@link io.fibry.test.Probe} is an actor that the test controls: it takes the place of an actor to which the tested
 * one sends, and the test says what it expects to come. A {@link io.fibry.test.Recorder} records the events of a scope.
 * <li>{@link io.fibry.test.ScopeAssertions} waits until a scope is idle, and checks that nothing was lost in it.
 * <li>{@link io.fibry.test.Faults}, {@link io.fibry.test.HeldHandlers} and {@link io.fibry.test.LateTime} make
 * handlers fail, mailboxes full and timers late.
 * <li>A {@link io.fibry.test.History} of calls and answers is checked against a {@link io.fibry.test.Model}.
 * </ul>
 *
 * <p>Each method that waits has a form without a limit, which waits for up to five seconds. If the clock of the scope is a
 * {@link io.fibry.time.ManualTime}, the wait moves it, and no real time passes; then what is expected may still come of actors
 * that were not idle, within five seconds of real time. With another clock a limit is real time. What does not come
 * true ends in an {@link AssertionError}, which says what was expected and what came, and at a time-out how long the test has waited
 * and what the actors of the scope do.
 */
@NullMarked
package io.fibry.test;

import org.jspecify.annotations.NullMarked;
