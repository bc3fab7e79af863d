package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.trial.AskHistory.Ask;
import io.fibry.cluster.trial.Deliveries.Id;
import io.fibry.cluster.trial.Deliveries.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check of what was delivered finds each fault that is planted. */
class DeliveriesTest {
    private final Deliveries deliveries = new Deliveries();

    private static Id id(long number) {
        return new Id("a1", 7, number);
    }

    /** The process {@code a1} has sent so many, at the times of their numbers. */
    private void sent(int number) {
        for (int i = 1; i <= number; i++) {
            deliveries.add(Deliveries.sent(id(i), Kind.TELL, i));
        }
    }

    private void handled(long number, String actor, long time) {
        deliveries.add(Deliveries.handled(id(number), actor, time));
    }

    private void told(long number, String fate) {
        deliveries.add(Deliveries.told(id(number), fate, 20, "-", 0));
    }

    private void assertFault(String part) {
        assertThat(deliveries.faults()).hasSize(1).allMatch(each -> each.contains(part));
    }

    @Test
    void whatMayBe() {
        sent(6);
        handled(1, "b1#1", 11);
        told(1, Deliveries.HANDLED);
        handled(2, "c1#1", 12);
        told(2, Deliveries.UNCERTAIN);
        told(3, Deliveries.UNCERTAIN);
        told(4, Deliveries.NOT_HANDLED + ": FULL");
        handled(5, "c1#1", 15);
        handled(6, "b1#2", 16);
        assertThat(deliveries.faults()).isEmpty();
        assertThat(deliveries.figures()).contains("TELL 6", "uncertain 2", "actors 0");
    }

    @Test
    void aMessageThatIsLost() {
        sent(2);
        handled(1, "b1#1", 11);
        assertFault("message 2 of a1 for the key 7 was lost");
    }

    @Test
    void aMessageThatIsHandledTwice() {
        sent(1);
        handled(1, "b1#1", 11);
        handled(1, "c1#1", 12);
        assertFault("twice");
    }

    @Test
    void anUncertainMessageThatIsHandledTwice() {
        sent(1);
        told(1, Deliveries.UNCERTAIN);
        deliveries.killed("b1", 12, 13);
        handled(1, "b1#1", 11);
        handled(1, "c1#1", 14);
        assertFault("twice");
    }

    @Test
    void anActorThatHandlesOutOfOrder() {
        sent(2);
        // Also if its process is away.
        deliveries.away("b1", 5, 20);
        handled(2, "b1#1", 11);
        handled(1, "b1#1", 12);
        assertFault("behind 2");
    }

    @Test
    void anActorThatHandlesWhatIsOlderThanWhatTheOneBeforeHas() {
        sent(2);
        handled(2, "b1#1", 11);
        handled(1, "c1#1", 12);
        assertFault("behind 2 by b1#1");
    }

    @Test
    void aWrongFate() {
        sent(1);
        told(1, Deliveries.NOT_HANDLED + ": FULL");
        handled(1, "b1#1", 11);
        assertFault("its sender was told: not handled");
    }

    @Test
    void aWrongAnswer() {
        sent(1);
        told(1, Deliveries.HANDLED);
        assertFault("its sender was told that it was");
    }

    @Test
    void aMessageThatNobodyHasSent() {
        handled(1, "b1#1", 11);
        assertFault("nobody has sent it");
    }

    @Test
    void whatHasEndedWithItsActor() {
        sent(3);
        handled(1, "b1#1", 11);
        handled(3, "c1#1", 19);
        deliveries.killed("b1", 12, 13);
        assertThat(deliveries.faults()).isEmpty();
        assertThat(deliveries.figures()).contains("actors 1");
    }

    @Test
    void whatAnActorThatHasEndedHadBehindTheOneThatIsLost() {
        sent(3);
        handled(1, "b1#1", 10);
        handled(3, "b1#1", 11);
        deliveries.killed("b1", 12, 13);
        assertFault("message 2 of a1 for the key 7 was lost");
    }

    @Test
    void whatWasSentAfterTheEndOfAnActor() {
        sent(3);
        handled(1, "b1#1", 0);
        handled(2, "c1#1", 4);
        deliveries.killed("b1", 1, 2);
        assertFault("message 3 of a1 for the key 7 was lost");
    }

    @Test
    void anotherProcessIsNoExcuse() {
        sent(2);
        handled(1, "b1#1", 11);
        deliveries.killed("c1", 12, 13);
        assertFault("message 2 of a1 for the key 7 was lost");
    }

    /** Its actor may go on, and is not compared with the one that another process has. */
    @Test
    void aProcessThatIsAway() {
        sent(2);
        deliveries.away("b1", 5, 20);
        handled(2, "c1#1", 11);
        handled(1, "b1#1", 12);
        assertThat(deliveries.faults()).isEmpty();
    }

    @Test
    void asks() {
        for (int i = 1; i <= 4; i++) {
            deliveries.add(Deliveries.sent(id(i), Kind.ASK, i));
        }
        deliveries.add(Deliveries.told(id(1), Deliveries.HANDLED, 5, "b1#1", 1));
        deliveries.add(Deliveries.told(id(2), Deliveries.UNCERTAIN, 6, "-", 0));
        deliveries.add(Deliveries.told(id(3), Deliveries.HANDLED, 7, "a1#1", 1));
        deliveries.away("a1", 6, 9);
        assertThat(deliveries.asks()).containsExactly(new Ask(7, 1, 5, "answered", "b1#1", 1),
                new Ask(7, 2, 6, "uncertain", "-", 0), new Ask(7, 3, 7, "away", "a1#1", 1),
                new Ask(7, 4, Long.MAX_VALUE, "not told", "-", 0));
    }

    /** Its actor may begin before it notices that the key has another home. */
    @Test
    void whatHasEndedWithAnActorThatWentOn() {
        sent(3);
        deliveries.away("b1", 2, 20);
        handled(1, "c1#1", 1);
        handled(2, "b1#1", 11);
        assertThat(deliveries.faults()).isEmpty();
        assertThat(deliveries.figures()).contains("actors 1");
    }

    /** A process that is killed may have written a part of a line. */
    @Test
    void aLineThatIsNotWhole(@TempDir Path folder) throws Exception {
        deliveries.read(Files.writeString(folder.resolve("log"),
                Deliveries.sent(id(1), Kind.TELL, 1) + Deliveries.handled(id(1), "b1#1", 2) + "handled\ta1"));
        assertThat(deliveries.faults()).isEmpty();
        assertThat(deliveries.figures()).contains("TELL 1");
    }
}
