package io.fibry.examples.cluster;

import io.fibry.ActorContext;
import io.fibry.Recipient;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterEvent;
import io.fibry.cluster.ClusterNode;
import io.fibry.cluster.GroupHomes;
import io.fibry.examples.cluster.View.AccountView;
import io.fibry.examples.cluster.View.EventView;
import io.fibry.examples.cluster.View.GroupView;
import io.fibry.examples.cluster.View.LoadView;
import io.fibry.examples.cluster.View.NodeView;
import io.fibry.function.ContextHandler;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The handler of the actor that makes what the page of a node shows, several times a second. It never waits. */
final class Board implements ContextHandler<Board.News> {
    static final Duration EVERY = Duration.ofMillis(400);

    private static final int EVENTS = 40;
    private static final int QUIET_TICKS = 2;
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** What the board is told. */
    sealed interface News {
    }

    /** It is time for the next view. */
    record Tick() implements News {
    }

    /** Something has happened in the cluster. */
    record Happened(ClusterEvent event) implements News {
    }

    /** Moves of one group from one node to another, the newest of which was told at this tick. */
    private record Moves(int slices, Duration took, long tick) {
        Moves and(Moves later) {
            return new Moves(slices + later.slices, took.compareTo(later.took) > 0 ? took : later.took,
                    later.tick);
        }
    }

    private final Cluster cluster;
    private final List<Place> places;
    private final Recipient<BankCommand, Balance> accounts;
    private final AskLoad load;
    private final RoomEar ear;
    private final Clock clock;
    private final Map<Integer, Balance> balances = new ConcurrentHashMap<>();
    private final Map<Integer, CompletableFuture<Balance>> asked = new TreeMap<>();
    private final Deque<EventView> events = new ArrayDeque<>();
    private final Map<String, Moves> moves = new TreeMap<>();
    /** The names of all nodes that were there. */
    private final Set<String> met = new HashSet<>();
    private long happened;
    private long tick;
    private long lastTick = System.nanoTime();
    private volatile Optional<View> newest = Optional.empty();

    Board(Cluster cluster, List<Place> places, Recipient<BankCommand, Balance> accounts, AskLoad load,
            RoomEar ear,
            Clock clock) {
        this.cluster = cluster;
        this.places = places;
        this.accounts = accounts;
        this.load = load;
        this.ear = ear;
        this.clock = clock;
    }

    /** Returns the newest view. Any thread may call this. */
    Optional<View> newest() {
        return newest;
    }

    @Override
    public void handle(ActorContext<News, Void> self, News news) {
        switch (news) {
            case Happened happens -> tell(happens.event());
            case Tick now -> newest = Optional.of(view());
        }
    }

    // ---- Events. ----

    private void add(String kind, String text) {
        events.addLast(new EventView(++happened, clock.millis(), kind, text));
        if (events.size() > EVENTS) {
            events.removeFirst();
        }
    }

    private void tell(ClusterEvent event) {
        switch (event) {
            case ClusterEvent.Joined joined -> add("joined", "node " + joined.node().name());
            case ClusterEvent.Left left ->
                add("left", "node " + left.node().name() + " has handed over what it had");
            case ClusterEvent.Lost lost ->
                add("lost", "node " + lost.node().name() + ": its slices get other homes");
            case ClusterEvent.CutOff cut ->
                add("cut off", "this node has no lease and serves nothing");
            case ClusterEvent.Restored restored -> add("restored", "this node has a lease again");
            case ClusterEvent.NotHandled no -> add("not handled", no.message() + ": " + no.cause());
            case ClusterEvent.Expired late ->
                add("expired",
                        late.message() + ": no node has taken it in " + late.timeToLive().toMillis() + " ms");
            case ClusterEvent.Uncertain who ->
                add("uncertain", who.message() + " on node " + who.node().name());
            case ClusterEvent.Missed missed -> add("missed", missed.events() + " events were left out");
            case ClusterEvent.Moved moved -> moves.merge(
                    moved.group() + ": " + moved.from().name() + " → " + moved.to().name(),
                    new Moves(moved.slices().size(), moved.took(), tick), Moves::and);
            case ClusterEvent.Stuck stuck -> add("stuck", stuck.group() + " " + stuck.key()
                    + " holds up its move for more than " + stuck.limit().toSeconds() + " s");
        }
    }

    /** Tells of moves when no more of the same have come for a moment, so that a node that comes or goes is not hundreds of lines. */
    private void tellMoves() {
        moves.entrySet().removeIf(each -> {
            var moved = each.getValue();
            var isOver = tick - moved.tick > QUIET_TICKS;
            if (isOver) {
                add("moved", moved.slices + (moved.slices == 1 ? " slice of " : " slices of ") + each.getKey()
                        + (moved.took.isZero() ? ""
                                : ", without a home for " + moved.took.toMillis() + " ms at most"));
            }
            return isOver;
        });
    }

    // ---- The view. ----

    private View view() {
        lookAtAccounts();
        tellMoves();
        var groups = cluster.homes().stream().map(Board::group).toList();
        var here = cluster.members().stream().map(ClusterNode::name).toList();
        met.addAll(here);
        var leases = cluster.leases().entrySet().stream()
                .collect(Collectors.toMap(each -> each.getKey().name(), each -> each.getValue().toMillis(),
                        Math::max));
        var heard = ear.heard();
        return new View(++tick, cluster.self().name(), cluster.serves(), ClusterBank.LEASE.toMillis(),
                places.stream().map(place -> new NodeView(place.name(), here.contains(place.name()),
                        met.contains(place.name()), place.address(), leases.getOrDefault(place.name(), 0L)))
                        .toList(),
                groups, accounts(), load(), heard.home(), heard.lines(), new ArrayList<>(events));
    }

    private static GroupView group(GroupHomes homes) {
        return new GroupView(homes.group(), homes.slices().stream()
                .map(home -> home.map(ClusterNode::name).orElse(".")).collect(Collectors.joining()));
    }

    /** Asks each account that has answered the last time. */
    private void lookAtAccounts() {
        for (int account = 0; account < ClusterBank.ACCOUNTS; account++) {
            var number = account;
            asked.compute(account, (same, before) -> before != null && !before.isDone() ? before
                    : accounts.ask(new BankCommand.Look(number), LIMIT));
            var unused = asked.get(account).thenAccept(balance -> balances.put(number, balance));
        }
    }

    private List<AccountView> accounts() {
        return IntStream.range(0, ClusterBank.ACCOUNTS).mapToObj(number -> {
            var balance = balances.getOrDefault(number, new Balance(0, 0, ""));
            return new AccountView(number, balance.cents(), balance.entries(),
                    cluster.homeOf(ClusterBank.ACCOUNT_GROUP, number).map(ClusterNode::name).orElse(""));
        }).toList();
    }

    private LoadView load() {
        var now = System.nanoTime();
        var seconds = (now - lastTick) / 1e9;
        lastTick = now;
        var figures = load.figures();
        var times = figures.recent();
        return new LoadView(figures.isOn(), times.size() / seconds,
                times.isEmpty() ? 0 : times.get(times.size() / 2),
                times.isEmpty() ? 0 : times.getLast(), figures.acknowledged(), figures.uncertain(),
                figures.refused(),
                figures.lost());
    }
}
