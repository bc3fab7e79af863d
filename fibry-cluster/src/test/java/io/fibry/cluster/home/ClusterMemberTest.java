package io.fibry.cluster.home;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.stream.BadFrameException;
import io.fibry.cluster.stream.FrameCodec;
import io.fibry.cluster.stream.StreamFrame;
import io.fibry.cluster.stream.StreamFrame.Run;
import io.fibry.cluster.stream.Verdict;
import io.fibry.testing.Promise;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Two members and a group of one slice, whose home is the second one. */
class ClusterMemberTest {
    private static final UUID HERE = new UUID(1, 1);
    private static final UUID THERE = new UUID(2, 2);

    private final TreeMap<String, byte[]> tables = new TreeMap<>();
    private final RecordingSurroundings aroundHere = new RecordingSurroundings(tables);
    private final RecordingSurroundings aroundThere = new RecordingSurroundings(tables);
    private static final long MOVE_LIMIT = 1_000_000_000L;

    private final ClusterMember here = new ClusterMember(HERE, 1, MOVE_LIMIT, aroundHere);
    private final ClusterMember there = new ClusterMember(THERE, 1, MOVE_LIMIT, aroundThere);
    private long now = 1_000_000_000;

    @BeforeEach
    void form() throws Exception {
        here.viewChanged(1, Set.of(HERE, THERE), true, Set.of(), now);
        there.viewChanged(1, Set.of(HERE, THERE), true, Set.of(), now);
        there.host("accounts", true, now);
        exchange();
    }

    /** Lets frames and changes go both ways until there are none. */
    private void exchange() throws BadFrameException {
        var any = true;
        while (any) {
            now += 1_000_000;
            here.tick(now);
            there.tick(now);
            any = aroundThere.makeChanges(there, List.of(here, there), now);
            any |= aroundHere.makeChanges(here, List.of(here, there), now);
            any |= carry(aroundHere, HERE, there, THERE);
            any |= carry(aroundThere, THERE, here, HERE);
        }
    }

    private boolean carry(RecordingSurroundings from, UUID sender, ClusterMember to, UUID receiver)
            throws BadFrameException {
        var frames = from.frames.remove(receiver);
        if (frames == null) {
            return false;
        }
        for (var frame : frames) {
            to.received(sender, frame, now);
        }
        return true;
    }

    /** So many letters may be on their way at once. Their sender learns that they have come before it stands still. */
    @Test
    void aFloodWaitsForNoTick() throws Exception {
        int letters = 20_000;
        for (int i = 0; i < letters; i++) {
            here.send(tell("m" + i), now);
        }
        here.transmitNow(now);
        boolean any;
        do {
            any = carry(aroundHere, HERE, there, THERE);
            any |= carry(aroundThere, THERE, here, HERE);
        } while (any);
        assertThat(aroundThere.delivered).hasSize(letters);
    }

    /** A node has 256 slices for each of its groups. */
    @Promise({"77.6", "92.10"})
    @Test
    void aNodeAtRestLooksNothingUpForItsGroups() {
        var own = new TreeMap<String, byte[]>();
        var around = new RecordingSurroundings(own);
        var alone = new ClusterMember(HERE, 256, MOVE_LIMIT, around);
        alone.viewChanged(1, Set.of(HERE), true, Set.of(), now);
        for (int group = 0; group < 100; group++) {
            alone.host("group" + group, true, now);
        }
        do {
            now += 1_000_000;
            alone.tick(now);
        } while (around.makeChanges(alone, List.of(alone), now));
        assertThat(own).as("for each group an entry for each slice, and one for the host").hasSize(25_700);
        now += 1_000_000_000;
        alone.tick(now); // the pauses after changes are over
        around.lookUps = 0;
        for (int i = 0; i < 250; i++) {
            now += 20_000_000;
            alone.tick(now);
        }
        assertThat(around.lookUps).as("look-ups of entries in five seconds").isZero();
    }

    /** A lost node may come back with what it has had; one that has said goodbye does not, and many come and go. */
    @Promise("79.3")
    @Test
    void aNodeThatHasLeftIsForgotten() throws Exception {
        here.send(tell("m"), now);
        exchange();
        var delivered = aroundThere.delivered.removeFirst();
        here.viewChanged(2, Set.of(HERE), true, Set.of(), now);
        assertThat(here.lost).containsKey(THERE);
        there.viewChanged(2, Set.of(THERE), true, Set.of(HERE), now);
        there.settle(delivered, Verdict.TAKEN, now);
        assertThat(there.lost).doesNotContainKey(HERE);
        assertThat(there.peers).doesNotContainKey(HERE);
    }

    /** Nodes that are killed do not say goodbye. */
    @Promise("78.2")
    @Test
    void ofNodesThatComeAndGoTheLastOnesAreRemembered() throws Exception {
        var first = tell("first");
        here.send(first, now);
        exchange();
        there.settle(aroundThere.delivered.getFirst(), Verdict.TAKEN, now);
        exchange();
        there.viewChanged(2, Set.of(THERE), false, Set.of(), now);
        there.drained("accounts", 0, now);
        here.viewChanged(2, Set.of(HERE), true, Set.of(), now);
        long view = 3;
        for (int i = 0; i < ClusterMember.MOST_LOST; i++) {
            here.viewChanged(view++, Set.of(HERE, new UUID(5, i)), true, Set.of(), now);
        }
        here.viewChanged(view++, Set.of(HERE), true, Set.of(), now);
        assertThat(here.peers).as("each of them would be looked at in each tick").isEmpty();
        assertThat(here.lost).hasSize(ClusterMember.MOST_LOST).doesNotContainKey(THERE);

        here.viewChanged(view, Set.of(HERE, THERE), true, Set.of(), now);
        there.viewChanged(view, Set.of(HERE, THERE), true, Set.of(), now);
        var second = letter(8, now + 1_000_000_000_000L, "second");
        here.send(second, now);
        exchange();
        assertThat(aroundThere.delivered).extracting(ClusterMemberTest::text).containsExactly("first",
                "second");
        there.settle(aroundThere.delivered.getLast(), Verdict.TAKEN, now);
        there.answer(aroundThere.delivered.getLast(), "2".getBytes(UTF_8), now);
        exchange();
        assertThat(aroundHere.fates.get(second)).containsExactly(new Fate.Taken(THERE));
        assertThat(aroundHere.answers).containsExactly("second=2");
    }

    private Letter letter(long ask, long deadline, String text) {
        return new Letter("accounts", 0, ask, deadline, text.getBytes(UTF_8), text, false);
    }

    private Letter tell(String text) {
        return letter(0, Letter.NO_DEADLINE, text);
    }

    private static String text(HomeDelivery delivery) {
        return new String(delivery.body(), UTF_8);
    }

    @Test
    void anAskGetsItsAnswerFromTheHome() throws Exception {
        var ask = letter(7, now + 1_000_000_000, "how much");
        here.send(ask, now);
        exchange();
        var delivery = aroundThere.delivered.getFirst();
        assertThat(text(delivery)).isEqualTo("how much");
        assertThat(delivery.deadline() - now).isBetween(1L, 1_000_000_000L);
        there.settle(delivery, Verdict.TAKEN, now);
        there.answer(delivery, "42".getBytes(UTF_8), now);
        exchange();
        assertThat(aroundHere.answers).containsExactly("how much=42");
        assertThat(aroundHere.fates.get(ask)).containsExactly(new Fate.Taken(THERE));
        assertThat(aroundHere.dispatched).containsExactly(THERE);
    }

    @Test
    void aVerdictGoesTogetherWithTheAnswer() throws Exception {
        here.send(letter(7, now + 1_000_000_000, "how much"), now);
        exchange();
        aroundThere.isFree = false;
        there.settle(aroundThere.delivered.getFirst(), Verdict.TAKEN, now);
        there.answer(aroundThere.delivered.getFirst(), "42".getBytes(UTF_8), now);
        aroundThere.isFree = true;
        there.transmitNow(now);
        assertThat(aroundThere.frames.get(HERE)).singleElement()
                .satisfies(sent -> assertThat(FrameCodec.decode(sent.duplicate())).hasSize(2)
                        .hasAtLeastOneElementOfType(StreamFrame.Verdicts.class)
                        .hasAtLeastOneElementOfType(StreamFrame.Items.class));
        exchange();
        assertThat(aroundHere.answers).containsExactly("how much=42");
    }

    @Test
    void aChangeIsNotWantedAnyMoreWhenTheTablesSpeakAgainstIt() {
        there.host("orders", true, now);
        var hosts = aroundThere.changes.remove();
        tables.put("hosts:" + hosts.key(), hosts.next());
        assertThat(there.wants(hosts)).isTrue();
        there.changed(hosts, Outcome.DONE, now);
        var claim = aroundThere.changes.remove();
        assertThat(there.wants(claim)).isTrue();

        tables.put("homes:" + claim.key(),
                new GroupEntry(HERE, 0, false, true, false, 1, 1, 99).encode());
        assertThat(there.wants(claim)).as("another node is its home").isFalse();
        tables.remove("homes:" + claim.key());
        assertThat(there.wants(claim)).isTrue();
        there.host("orders", false, now);
        assertThat(there.wants(claim)).as("its node does not host the group any more").isFalse();
        there.host("orders", true, now);
        assertThat(there.wants(claim)).isTrue();
        there.viewChanged(2, Set.of(THERE), false, Set.of(), now);
        assertThat(there.wants(claim)).as("the node does not see the majority").isFalse();
        there.viewChanged(3, Set.of(HERE, THERE), true, Set.of(), now);
        assertThat(there.wants(claim)).as("it is of another period of service").isFalse();
    }

    /** Else the repetition would come after what its sender sends when it has the answer. */
    @Test
    @Promise("81.1")
    void anAnswerTakesBackTheAskThatWaitsToBeRepeated() throws Exception {
        var ask = new Letter("accounts", 0, 7, Letter.NO_DEADLINE, "how much".getBytes(UTF_8), "how much",
                true);
        here.send(ask, now);
        exchange();
        var delivery = aroundThere.delivered.getFirst();
        there.settle(delivery, Verdict.TAKEN, now);
        exchange();
        here.viewChanged(2, Set.of(HERE), true, Set.of(), now); // there is lost, and the ask waits for another home
        tables.remove(GroupTables.HOMES + ":accounts/0");
        here.viewChanged(3, Set.of(HERE, THERE), true, Set.of(), now);
        there.answer(delivery, "42".getBytes(UTF_8), now);
        exchange();
        assertThat(aroundHere.answers).containsExactly("how much=42");
        there.viewChanged(2, Set.of(THERE), false, Set.of(), now);
        here.host("accounts", true, now);
        here.viewChanged(4, Set.of(HERE), true, Set.of(), now);
        exchange();
        here.send(tell("later"), now);
        exchange();
        assertThat(aroundHere.delivered).extracting(ClusterMemberTest::text).containsExactly("later");
        assertThat(aroundHere.fates.get(ask)).containsExactly(new Fate.Taken(THERE), new Fate.Taken(HERE));
    }

    @Test
    void whatComesWhileALineIsBusySharesAFrame() throws Exception {
        here.send(tell("a"), now);
        exchange();
        aroundHere.frames.clear();
        aroundHere.isFree = false;
        here.send(tell("b"), now);
        here.send(tell("c"), now);
        here.send(tell("d"), now);
        assertThat(aroundHere.frames).isEmpty();
        aroundHere.isFree = true;
        here.transmitNow(now);
        assertThat(aroundHere.frames.get(THERE)).singleElement().satisfies(frame -> assertThat(
                ((StreamFrame.Items) FrameCodec.decode(frame.duplicate()).getLast()).items()).hasSize(3));
        exchange();
        assertThat(aroundThere.delivered).extracting(ClusterMemberTest::text).containsExactly("a", "b", "c",
                "d");
    }

    @Test
    @Promise("78.1")
    void aRefusalIsToldWithItsReason() throws Exception {
        var letter = tell("a");
        here.send(letter, now);
        exchange();
        there.settle(aroundThere.delivered.getFirst(), Verdict.FULL, now);
        exchange();
        assertThat(aroundHere.fates.get(letter)).containsExactly(new Fate.Refused(THERE, Verdict.FULL));
    }

    @Test
    @Promise("78.1")
    void whatIsNoItemIsRefusedAndHarmsNothing() throws Exception {
        there.received(HERE,
                FrameCodec.encode(
                        new StreamFrame.Items(1, 1, 0,
                                List.of(new byte[]{9}, new byte[]{1, 0}, new byte[0]))),
                now);
        there.tick(now);
        var verdicts =
                (StreamFrame.Verdicts) FrameCodec.decode(aroundThere.frames.get(HERE).getLast()).getFirst();
        assertThat(verdicts.verdicts()).containsExactly(new Run(Verdict.NOT_UNDERSTOOD, 1, 3));
        assertThatThrownBy(() -> there.received(HERE, ByteBuffer.wrap(new byte[]{1}), now))
                .isInstanceOf(BadFrameException.class);
        assertThat(aroundThere.delivered).isEmpty();
    }

    @Test
    void aSliceThatTheGroupDoesNotHaveIsRefused() throws Exception {
        var far = new Letter("accounts", 3, 0, Letter.NO_DEADLINE, new byte[0], "far", false);
        there.received(HERE,
                FrameCodec.encode(
                        new StreamFrame.Items(1, 1, 0, List.of(new Post.Message(far, 1).encode(now)))),
                now);
        there.tick(now);
        var verdicts =
                (StreamFrame.Verdicts) FrameCodec.decode(aroundThere.frames.get(HERE).getLast()).getFirst();
        assertThat(verdicts.verdicts()).containsExactly(new Run(Verdict.NOT_UNDERSTOOD, 1, 1));
    }

    @Test
    void whatIsWithdrawnBeforeItIsSentIsNotSent() throws Exception {
        there.host("accounts", false, now);
        there.drained("accounts", 0, now);
        exchange();
        var ask = letter(8, now + 1_000_000_000_000L, "held");
        here.send(ask, now);
        here.cancel(ask, now);
        assertThat(aroundHere.fates.get(ask)).containsExactly(new Fate.Expired());
        var late = letter(9, now + 1, "late");
        here.send(late, now);
        now += 1_000_000;
        here.tick(now);
        assertThat(aroundHere.fates.get(late)).containsExactly(new Fate.Expired());
    }

    /** If each letter looked at all that wait, this would be 20,000,000,000 looks. */
    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    @Promise("77.6")
    void aLetterIsSentOrCancelledAsSoonAsIfNoOthersWaited() throws Exception {
        there.host("accounts", false, now);
        there.drained("accounts", 0, now);
        exchange();
        var many = 200_000;
        var letters = new ArrayList<Letter>();
        for (int i = 1; i <= many; i++) {
            var letter = letter(i, now + 1_000_000_000_000L, "waits");
            letters.add(letter);
            here.send(letter, now);
        }
        for (int i = 0; i < many; i += 2) {
            here.cancel(letters.get(i), now);
        }
        assertThat(aroundHere.fates.values()).hasSize(many / 2)
                .allMatch(List.of(new Fate.Expired())::equals);
        there.host("accounts", true, now);
        exchange();
        assertThat(aroundThere.delivered.get(0).ask()).as("the first that was not cancelled").isEqualTo(2);
        assertThat(aroundThere.delivered.get(1).ask()).isEqualTo(4);
    }

    @Test
    void theHomeLearnsThatNobodyWaitsAnyMore() throws Exception {
        var ask = letter(8, now + 1_000_000_000_000L, "long");
        here.send(ask, now);
        exchange();
        there.settle(aroundThere.delivered.getFirst(), Verdict.TAKEN, now);
        exchange();
        here.cancel(ask, now);
        exchange();
        assertThat(aroundThere.cancelled).containsExactly(8L);
        there.answer(aroundThere.delivered.getFirst(), "late".getBytes(UTF_8), now);
        exchange();
        assertThat(aroundHere.answers).isEmpty();
    }

    /** The home has returned another letter, so nothing goes there now. */
    @Test
    @Promise("80.4")
    void aHomeThatIsLeftLearnsThatNobodyWaitsAnyMore() throws Exception {
        var ask = letter(8, now + 1_000_000_000_000L, "waits for room");
        here.send(ask, now);
        exchange();
        there.host("accounts", false, now);
        here.send(tell("returned"), now);
        exchange();
        here.cancel(ask, now);
        exchange();
        assertThat(aroundThere.cancelled).containsExactly(8L);
    }

    @Test
    void anAskThatNobodyHasTakenKeepsFewProbes() throws Exception {
        var ask = letter(8, Letter.NO_DEADLINE, "circle");
        here.send(ask, now);
        for (int i = 0; i < 100; i++) {
            here.probe(ask, ("p" + i).getBytes(UTF_8), now);
        }
        exchange();
        there.settle(aroundThere.delivered.getFirst(), Verdict.TAKEN, now);
        exchange();
        assertThat(aroundThere.probes).hasSize(8).contains("8 p0");
    }

    @Test
    void aProbeFollowsAnAskThatIsRepeatedToTheNodeThatTakesItThen() throws Exception {
        var ask = new Letter("accounts", 0, 8, Letter.NO_DEADLINE, new byte[0], "circle", true);
        here.send(ask, now);
        exchange();
        there.settle(aroundThere.delivered.getFirst(), Verdict.TAKEN, now);
        exchange();
        here.host("accounts", true, now);
        here.viewChanged(2, Set.of(HERE), true, Set.of(), now);
        while (aroundHere.delivered.isEmpty()) {
            now += 20_000_000;
            here.tick(now);
            aroundHere.makeChanges(here, List.of(here), now);
        }
        here.probe(ask, "again".getBytes(UTF_8), now);
        assertThat(aroundHere.probes).isEmpty();
        here.settle(aroundHere.delivered.getFirst(), Verdict.TAKEN, now);
        assertThat(aroundHere.probes).containsExactly("8 again");
    }

    @Test
    void aProbeFollowsAnAskWhenThatIsTakenAndEndsWithIt() throws Exception {
        var ask = letter(8, now + 1_000_000_000_000L, "circle");
        here.send(ask, now);
        here.probe(ask, "early".getBytes(UTF_8), now);
        exchange();
        assertThat(aroundThere.probes).isEmpty();
        there.settle(aroundThere.delivered.getFirst(), Verdict.TAKEN, now);
        exchange();
        assertThat(aroundThere.probes).containsExactly("8 early");
        here.probe(ask, "later".getBytes(UTF_8), now);
        here.probe(letter(8, now, "another with this number"), "wrong".getBytes(UTF_8), now);
        exchange();
        there.answer(aroundThere.delivered.getFirst(), "42".getBytes(UTF_8), now);
        exchange();
        here.probe(ask, "late".getBytes(UTF_8), now);
        exchange();
        assertThat(aroundThere.probes).containsExactly("8 early", "8 later");
        assertThat(aroundHere.answers).containsExactly("circle=42");
    }

    @Test
    @Promise("78.4")
    void withoutTheMajorityNothingIsSent() {
        here.viewChanged(0, Set.of(HERE), false, Set.of(), now);
        var letter = tell("a");
        here.send(letter, now);
        assertThat(aroundHere.fates.get(letter)).containsExactly(new Fate.NotServed());
    }

    @Test
    @Promise({"78.1", "78.2"})
    void whatWasTransmittedToALostNodeIsUncertainAndWhatWasReturnedIsNot() throws Exception {
        var sent = tell("a");
        here.send(sent, now);
        here.transmitNow(now);
        here.viewChanged(2, Set.of(HERE), true, Set.of(), now);
        assertThat(aroundHere.fates.get(sent)).containsExactly(new Fate.Uncertain(THERE));
    }

    /** The home waits for room with the first letter, and returns the second one meanwhile: it may still take the first one. */
    @Test
    @Promise("78.1")
    void whatWasSentBeforeALetterThatWasReturnedMayHaveBeenTaken() throws Exception {
        var first = tell("a");
        here.send(first, now);
        exchange();
        there.host("accounts", false, now);
        var second = tell("b");
        here.send(second, now);
        exchange();
        assertThat(aroundThere.delivered).extracting(ClusterMemberTest::text).containsExactly("a");
        here.viewChanged(2, Set.of(HERE), true, Set.of(), now);
        assertThat(aroundHere.fates.get(first)).containsExactly(new Fate.Uncertain(THERE));
        assertThat(aroundHere.fates).doesNotContainKey(second);
    }

    /** A frozen node sees all others when it learns that it was lost: its stream is retired by them alone, with what it has answered since then. */
    @Test
    @Promise("78.2")
    void anAnswerOfANodeThatHasComeBackIsNotLostWithItsOldStream() throws Exception {
        var before = letter(7, now + 1_000_000_000_000L, "before");
        here.send(before, now);
        exchange();
        there.settle(aroundThere.delivered.getFirst(), Verdict.TAKEN, now);
        there.answer(aroundThere.delivered.getFirst(), "1".getBytes(UTF_8), now);
        exchange();

        here.viewChanged(2, Set.of(HERE), true, Set.of(), now);
        there.viewChanged(1, Set.of(HERE, THERE), false, Set.of(), now);
        there.drained("accounts", 0, now);
        here.viewChanged(3, Set.of(HERE, THERE), true, Set.of(), now);
        there.viewChanged(3, Set.of(HERE, THERE), true, Set.of(), now);
        exchange();
        var after = letter(8, now + 1_000_000_000_000L, "after");
        here.send(after, now);
        exchange();
        there.settle(aroundThere.delivered.getLast(), Verdict.TAKEN, now);
        there.answer(aroundThere.delivered.getLast(), "2".getBytes(UTF_8), now);
        exchange();
        assertThat(aroundHere.answers).containsExactly("before=1", "after=2");
    }

    /** It was back before the others have missed it, and nothing more goes to it. It has dropped the answers that were due meanwhile. */
    @Test
    @Promise({"78.1", "78.2", "80.2", "86.6"})
    void whatANodeHadThatWasCutOffForAShortTimeIsUncertain() throws Exception {
        var ask = letter(7, Letter.NO_DEADLINE, "how much");
        here.send(ask, now);
        exchange();
        var delivery = aroundThere.delivered.getFirst();
        there.settle(delivery, Verdict.TAKEN, now);
        exchange();
        there.viewChanged(1, Set.of(THERE), false, Set.of(), now);
        there.answer(delivery, "42".getBytes(UTF_8), now);
        there.drained("accounts", 0, now);
        here.viewChanged(2, Set.of(HERE, THERE), true, Set.of(), now);
        there.viewChanged(2, Set.of(HERE, THERE), true, Set.of(), now);
        exchange();
        assertThat(aroundHere.fates.get(ask)).containsExactly(new Fate.Taken(THERE),
                new Fate.Uncertain(THERE));
        assertThat(aroundHere.answers).isEmpty();
        now += 1_000_000;
        there.tick(now);
        assertThat(aroundThere.frames).as("said once").isEmpty();
    }

    @Test
    @Promise("77.2")
    void aMoveThatHasBegunEndsAtOnceWithoutTheMajority() {
        there.host("accounts", false, now);
        there.viewChanged(0, Set.of(THERE), false, Set.of(), now);
        assertThat(aroundThere.drains).containsExactly("accounts/0 gently", "accounts/0 at once");
    }

    @Test
    @Promise("82.8")
    void aMoveThatTakesLongIsHurriedAgainAndAgainUntilItEnds() {
        there.host("accounts", false, now);
        var half = MOVE_LIMIT / 2;
        there.tick(now + half - 1);
        assertThat(aroundThere.drains).containsExactly("accounts/0 gently");
        there.tick(now + half);
        there.tick(now + half + 1);
        there.tick(now + 2 * half);
        assertThat(aroundThere.drains).containsExactly("accounts/0 gently", "accounts/0 in a hurry",
                "accounts/0 in a hurry");
        there.drained("accounts", 0, now + 2 * half);
        there.tick(now + 4 * half);
        assertThat(aroundThere.drains).hasSize(3);
    }

    // ---- Letters that name a node. ----

    /** Both know the group "jobs", which has no homes, and the second one hosts it. */
    private void hostJobs() throws Exception {
        here.describe("jobs", 0, 2);
        there.describe("jobs", 0, 2);
        there.host("jobs", true, now);
        exchange();
        now += 1_000_000_000; // the pause after a change is over
    }

    private static Letter job(UUID to, long ask, String text) {
        return Letter.to(to, "jobs", ask, Letter.NO_DEADLINE, text.getBytes(UTF_8), text);
    }

    @Test
    void aLetterGoesToTheNodeThatItNames() throws Exception {
        hostJobs();
        here.host("jobs", true, now);
        exchange();
        assertThat(here.group("jobs").hosts()).isEqualTo(there.group("jobs").hosts())
                .containsExactlyInAnyOrder(HERE, THERE);
        var far = job(THERE, 7, "far");
        var near = job(HERE, 8, "near");
        here.send(far, now);
        here.send(near, now);
        exchange();
        assertThat(aroundThere.delivered).extracting(ClusterMemberTest::text).containsExactly("far");
        assertThat(aroundHere.delivered).extracting(ClusterMemberTest::text).containsExactly("near");
        there.settle(aroundThere.delivered.getFirst(), Verdict.TAKEN, now);
        there.answer(aroundThere.delivered.getFirst(), "1".getBytes(UTF_8), now);
        here.settle(aroundHere.delivered.getFirst(), Verdict.FULL, now);
        exchange();
        assertThat(aroundHere.answers).containsExactly("far=1");
        assertThat(aroundHere.fates.get(far)).containsExactly(new Fate.Taken(THERE));
        assertThat(aroundHere.fates.get(near)).containsExactly(new Fate.Refused(HERE, Verdict.FULL));
    }

    @Test
    @Promise("80.13")
    void aNodeThatHostsSomethingElseOfThatNameIsNoHost() throws Exception {
        here.describe("jobs", 1, 1);
        there.describe("jobs", 0, 2);
        here.host("jobs", true, now);
        there.host("jobs", true, now);
        exchange();
        assertThat(here.group("jobs").hosts()).containsExactly(HERE);
        assertThat(there.group("jobs").hosts()).containsExactly(THERE);
        assertThat(aroundHere.unlike).containsExactly("jobs is 2 on " + THERE);
        assertThat(aroundThere.unlike).containsExactly("jobs is 1 on " + HERE);
    }

    /** Both have a slice 0, in one entry of the table of homes. */
    @Test
    @Promise("80.13")
    void whatIsSentToKeysDoesNotComeToASingletonOfThatName() throws Exception {
        there.describe("jobs", 1, 1);
        there.host("jobs", true, now);
        exchange();
        here.host("jobs", true, now);
        exchange();
        var letter = new Letter("jobs", 0, 0, Letter.NO_DEADLINE, new byte[0], "to a key", false);
        here.send(letter, now);
        exchange();
        assertThat(aroundThere.delivered).isEmpty();
        assertThat(aroundHere.fates).doesNotContainKey(letter);
    }

    @Test
    void aNodeThatDoesNotHostTheGroupReturnsTheLetter() throws Exception {
        hostJobs();
        there.host("jobs", false, now);
        var letter = job(THERE, 0, "late");
        here.send(letter, now);
        exchange();
        assertThat(aroundThere.delivered).isEmpty();
        assertThat(aroundHere.fates.get(letter)).containsExactly(new Fate.Refused(THERE, Verdict.RETURNED));
        assertThat(here.group("jobs").hosts()).isEmpty();
        assertThat(there.hasHandedOver("jobs")).isTrue();
    }

    @Test
    void ofALetterToANodeThatIsGoneItIsKnownWhatCanBeKnown() throws Exception {
        hostJobs();
        var lost = job(THERE, 7, "lost");
        here.send(lost, now);
        here.transmitNow(now);
        here.viewChanged(2, Set.of(HERE), true, Set.of(), now);
        assertThat(aroundHere.fates.get(lost)).containsExactly(new Fate.Uncertain(THERE));
        var later = job(THERE, 8, "later");
        here.send(later, now);
        assertThat(aroundHere.fates.get(later)).containsExactly(new Fate.Refused(THERE, Verdict.RETURNED));
        here.viewChanged(3, Set.of(HERE, THERE), true, Set.of(), now);
        var left = job(THERE, 9, "left");
        here.send(left, now);
        here.viewChanged(4, Set.of(HERE), true, Set.of(THERE), now);
        assertThat(aroundHere.fates.get(left)).containsExactly(new Fate.Refused(THERE, Verdict.RETURNED));
        here.viewChanged(5, Set.of(HERE), false, Set.of(), now);
        var cutOff = job(HERE, 10, "cut off");
        here.send(cutOff, now);
        assertThat(aroundHere.fates.get(cutOff)).containsExactly(new Fate.NotServed());
    }

    @Test
    void aLetterToANodeAndOneToASliceAreNotMistakenForEachOther() throws Exception {
        hostJobs();
        var toSlice = new Letter("jobs", 0, 0, Letter.NO_DEADLINE, new byte[0], "to a slice", false);
        var toNode = Letter.to(THERE, "accounts", 0, Letter.NO_DEADLINE, new byte[0], "to a node");
        there.received(HERE, FrameCodec.encode(new StreamFrame.Items(1, 1, 0,
                List.of(new Post.Message(toSlice, 1).encode(now), new Post.Message(toNode, 0).encode(now)))),
                now);
        there.tick(now);
        var verdicts =
                (StreamFrame.Verdicts) FrameCodec.decode(aroundThere.frames.get(HERE).getLast()).getFirst();
        assertThat(verdicts.verdicts()).containsExactly(new Run(Verdict.NOT_UNDERSTOOD, 1, 2));
        assertThat(aroundThere.delivered).isEmpty();
    }

    @Test
    void notesComeInOrderAndOnlyToNodesThatAreThere() throws Exception {
        here.note(THERE, "jobs", new NodeLoad(1, 1), now);
        here.note(THERE, "jobs", new NodeLoad(1, 2), now);
        exchange();
        here.viewChanged(2, Set.of(HERE), true, Set.of(), now);
        here.note(THERE, "jobs", new NodeLoad(1, 3), now);
        exchange();
        assertThat(aroundThere.notes).containsExactly("jobs has 1", "jobs has 2");
    }

    /** The first frame of the new stream comes to the node before its view does, and a verdict of the old stream comes after that. */
    @Test
    @Promise("80.8")
    void aNodeThatWasCutOffLeavesThoughNothingIsSentToItAnyMore() throws Exception {
        here.send(tell("a"), now);
        exchange();
        there.settle(aroundThere.delivered.getFirst(), Verdict.TAKEN, now);
        there.tick(now);
        var verdict = aroundThere.frames.get(HERE).getLast().duplicate();
        exchange();
        there.viewChanged(2, Set.of(THERE), false, Set.of(), now);
        there.drained("accounts", 0, now);
        here.viewChanged(2, Set.of(HERE), true, Set.of(), now);
        exchange();
        here.viewChanged(3, Set.of(HERE, THERE), true, Set.of(), now);
        here.transmitNow(now);
        assertThat(carry(aroundHere, HERE, there, THERE)).isTrue();
        there.viewChanged(3, Set.of(HERE, THERE), true, Set.of(), now);
        here.received(THERE, verdict, now);
        exchange();
        there.host("accounts", false, now);
        exchange();
        there.drained("accounts", 0, now);
        exchange();
        now += 1_000_000_000; // the pause after a change is over
        exchange();
        assertThat(there.isGone()).isTrue();
        assertThat(there.hasHandedOver()).isTrue();
    }

    /** Otherwise a node that gets notes again and again could not leave. */
    @Test
    void aNodeLeavesBeforeOthersKnowThatItHasGotTheirNotes() throws Exception {
        there.host("accounts", false, now);
        exchange();
        now += 1_000_000_000;
        there.drained("accounts", 0, now);
        exchange();
        now += 1_000_000_000;
        exchange();
        assertThat(there.hasHandedOver()).isTrue();
        here.note(THERE, "jobs", new NodeLoad(1, 1), now);
        here.tick(now);
        carry(aroundHere, HERE, there, THERE);
        assertThat(aroundThere.notes).containsExactly("jobs has 1");
        assertThat(there.hasHandedOver()).isTrue();
    }

    // ---- Letters to workers. ----

    private static Letter work(String text) {
        return new Letter("jobs", Letter.NO_SLICE, 0, Letter.NO_DEADLINE, text.getBytes(UTF_8), text, false);
    }

    @Promise("86.2")
    @Test
    void anIdleWorkerOfTheSenderIsPreferredBeforeOthersKnowIt() throws Exception {
        hostJobs();
        aroundHere.load = new NodeLoad(1, 0);
        here.host("jobs", true, now); // the entry that says so is not written yet
        here.send(work("m"), now);
        assertThat(aroundHere.dispatched).containsExactly(HERE);
    }

    @Promise("86.2")
    @Test
    void aNodeHasAsMuchToDoAsItSaysAndWhatWasSentSinceThen() throws Exception {
        hostJobs();
        aroundHere.load = new NodeLoad(1, 2);
        here.host("jobs", true, now);
        there.note(HERE, "jobs", new NodeLoad(1, 0), now);
        exchange();
        for (int i = 0; i < 3; i++) {
            here.send(work("m" + i), now);
        }
        exchange();
        assertThat(aroundHere.dispatched).containsExactly(THERE, THERE, HERE);
        aroundThere.delivered.forEach(delivery -> there.settle(delivery, Verdict.TAKEN, now));
        here.settle(aroundHere.delivered.getFirst(), Verdict.TAKEN, now);
        there.note(HERE, "jobs", new NodeLoad(1, 0), now);
        exchange();
        here.send(work("after its work"), now);
        assertThat(aroundHere.dispatched.getLast()).isEqualTo(THERE);
    }

    @Test
    void whatWaitsForWorkersIsNotServedWhenNothingMoreIsSent() {
        here.describe("jobs", 0, 2);
        var waits = work("m");
        here.send(waits, now);
        assertThat(aroundHere.fates).isEmpty();
        here.refuseHeld();
        assertThat(aroundHere.fates.get(waits)).containsExactly(new Fate.NotServed());
    }

    private void letTimePass(long nanos) {
        now += nanos;
        here.tick(now);
        there.tick(now);
        aroundThere.makeChanges(there, List.of(here, there), now);
        aroundHere.makeChanges(here, List.of(here, there), now);
    }

    private void share(String group, UUID node, long view) {
        tables.put("hosts:" + GroupTables.key(group, node),
                new GroupEntry(node, 0, false, true, false, 0, view, 1).encode());
    }

    /** Else a table would grow with each process that was killed. */
    @Test
    void whatALostNodeHasSharedIsForgotten() {
        var lost = new UUID(3, 3);
        var late = new UUID(4, 4);
        for (var group : List.of("accounts", "unknown")) { // of the second one these members know nothing
            share(group, lost, 1);
            share(group, late, 3);
        }
        here.viewChanged(2, Set.of(HERE, THERE), true, Set.of(), now);
        there.viewChanged(2, Set.of(HERE, THERE), true, Set.of(), now);
        letTimePass(11_000_000_000L);
        assertThat(aroundHere.entries("hosts")).as("it may be back soon").hasSize(5);
        letTimePass(11_000_000_000L);
        assertThat(aroundHere.entries("hosts").keySet()).as("one has joined after this view")
                .containsExactlyInAnyOrder("accounts/" + THERE, "accounts/" + late, "unknown/" + late);
        here.viewChanged(3, Set.of(HERE, THERE, late), true, Set.of(), now);
        there.viewChanged(3, Set.of(HERE, THERE, late), true, Set.of(), now);
        letTimePass(11_000_000_000L);
        assertThat(there.group("accounts").hosts()).containsExactlyInAnyOrder(THERE, late);
        share("accounts", lost, 1);
        for (long view = 4; view < 30; view++) { // many nodes come and go
            var seen = Set.of(HERE, THERE, late, new UUID(5, view));
            here.viewChanged(view, seen, true, Set.of(), now);
            there.viewChanged(view, seen, true, Set.of(), now);
            letTimePass(1_000_000_000L);
        }
        assertThat(aroundHere.entries("hosts")).as("it is looked for again").hasSize(3);
    }
}
