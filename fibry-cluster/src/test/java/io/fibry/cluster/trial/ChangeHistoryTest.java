package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** The check of changes finds each fault that is planted. */
class ChangeHistoryTest {
    private final ChangeHistory history = new ChangeHistory();

    /** A change of an entry from one value to another one. */
    private void change(String key, String from, String to, long begin, String outcome, long end) {
        history.read("B " + key + " " + from + " " + to + " " + begin);
        history.read("E " + to + " " + outcome + " " + end);
    }

    @Test
    void whatMayBe() {
        change("k0", "-", "k0/n1-1", 1, "DONE", 3);
        change("k0", "k0/n1-1", "k0/n2-1", 2, "UNKNOWN", 4);
        change("k0", "k0/n2-1", "k0/n1-2", 5, "DONE", 6);
        change("k0", "k0/n2-1", "k0/n3-1", 5, "REFUSED", 6);
        history.read("B k0 k0/n1-2 k0/n3-2 7"); // its node was killed
        change("k1", "-", "k1/n1-1", 1, "UNKNOWN", 3);
        assertThat(history.faults("k0=k0/n1-2,k1=k1/n1-1")).isEmpty();
        assertThat(history.faults("k0=k0/n3-2")).isEmpty();
        assertThat(history.outcomes()).hasToString("{DONE=2, REFUSED=1, UNKNOWN=3}");
    }

    @Test
    void anAcknowledgedChangeThatIsLost() {
        change("k0", "-", "k0/n1-1", 1, "DONE", 3);
        change("k0", "k0/n1-1", "k0/n2-1", 4, "DONE", 5);
        assertThat(history.faults("k0=k0/n1-1")).containsExactly(
                "1 acknowledged changes were lost: [k0 k0/n2-1 of n2]");
    }

    @Test
    void anEntryThatIsLost() {
        change("k0", "-", "k0/n1-1", 1, "DONE", 3);
        change("k1", "-", "k1/n1-1", 1, "DONE", 3);
        assertThat(history.faults("k1=k1/n1-1")).singleElement().asString()
                .contains("lost: [k0 k0/n1-1 of n1]");
        assertThat(history.faults("")).singleElement().asString()
                .startsWith("2 acknowledged changes were lost");
    }

    @Test
    void anAcknowledgedChangeThatIsLostInTheMiddle() {
        change("k0", "-", "k0/n1-1", 1, "DONE", 3);
        change("k0", "k0/n1-1", "k0/n2-1", 4, "DONE", 5);
        change("k0", "k0/n1-1", "k0/n3-1", 4, "DONE", 5);
        assertThat(history.faults("k0=k0/n3-1")).singleElement().asString()
                .contains("lost: [k0 k0/n2-1 of n2]");
    }

    @Test
    void aRefusedChangeThatTookEffect() {
        change("k0", "-", "k0/n1-1", 1, "REFUSED", 3);
        change("k0", "k0/n1-1", "k0/n2-1", 4, "DONE", 5);
        assertThat(history.faults("k0=k0/n2-1")).containsExactly(
                "was refused and took effect: k0/n1-1 of k0=k0/n2-1");
    }

    @Test
    void aValueThatWasNotWritten() {
        change("k0", "k0/n9-9", "k0/n1-1", 1, "DONE", 3);
        assertThat(history.faults("k0=k0/n1-1")).containsExactly("nobody wrote k0/n9-9 of k0=k0/n1-1");
    }

    @Test
    void aValueOfAnotherEntry() {
        change("k1", "-", "k1/n1-1", 1, "DONE", 3);
        assertThat(history.faults("k0=k1/n1-1,k1=k1/n1-1")).containsExactly(
                "was written to k1: k1/n1-1 of k0=k1/n1-1");
    }

    @Test
    void aCircle() {
        change("k0", "k0/n2-1", "k0/n1-1", 1, "DONE", 3);
        change("k0", "k0/n1-1", "k0/n2-1", 2, "DONE", 3);
        assertThat(history.faults("k0=k0/n1-1")).containsExactly("a circle at k0/n1-1 of k0=k0/n1-1");
    }

    @Test
    void aChangeOnWhatCameLater() {
        change("k0", "k0/n2-1", "k0/n1-1", 1, "DONE", 3);
        change("k0", "-", "k0/n2-1", 4, "DONE", 5);
        assertThat(history.faults("k0=k0/n1-1")).containsExactly("out of order at k0/n2-1 of k0=k0/n1-1");
    }

    @Test
    void anAcknowledgementOfAMinority() {
        change("k0", "-", "k0/n1-1", 1, "DONE", 3);
        change("k0", "k0/n1-1", "k0/n1-2", 4, "DONE", 6);
        change("k0", "k0/n1-2", "k0/n2-1", 4, "DONE", 6);
        change("k0", "k0/n2-1", "k0/n1-3", 4, "UNKNOWN", 6);
        assertThat(history.acknowledgedBy(Set.of("n1"), 2, 7)).containsExactly(
                "a minority acknowledged k0/n1-2 of k0");
        assertThat(history.acknowledgedBy(Set.of("n1"), 2, 6)).isEmpty();
    }
}
