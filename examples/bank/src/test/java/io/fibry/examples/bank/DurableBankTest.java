package io.fibry.examples.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.examples.bank.BankAccount.Balance;
import io.fibry.examples.bank.BankAccount.Pay;
import io.fibry.examples.bank.BankAccount.Refused;
import io.fibry.examples.bank.BankAccount.State;
import io.fibry.examples.frame.UsageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The bank in this process, and in one that is killed. */
@Timeout(300)
class DurableBankTest {
    private static final int KILLS = Integer.getInteger("fibry.bank.kills", 5);
    private static final long ALL = DurableBank.ACCOUNTS * DurableBank.CENTS_EACH;
    private static final int CLOSED = DurableBank.ACCOUNTS - 1;
    private static final Pattern PAYMENT = Pattern.compile("payment (\\d+) of (\\d+): \\d+ cents to .*left");

    @TempDir
    private Path folder;

    private DurableBank open() throws InterruptedException {
        return new DurableBank(folder.resolve("bank.db"), 0);
    }

    @Test
    void moneyMovesAndIsThereAfterARestart() throws Exception {
        try (var bank = open()) {
            assertThat(bank.ask(new Pay(0, "rent", 1, 300))).isEqualTo(new Balance(700, 1));
            assertThat(bank.audit()).isEqualTo(ALL);
        }
        try (var bank = open()) {
            assertThat(bank.show(0)).isEqualTo(new Balance(700, 1));
            assertThat(bank.show(1)).isEqualTo(new Balance(1_300, 0));
        }
    }

    /** The page is made of the events, and is behind them for a moment. */
    @Test
    void aPageHasTheSumsOfOwners() throws Exception {
        try (var bank = open(); var client = HttpClient.newHttpClient()) {
            bank.ask(new Pay(0, "rent", 1, 300));
            bank.ask(new Pay(0, "gift", CLOSED, 100));
            bank.audit();
            await(bank, Map.of("Ann", 3_700L, "Bob", 3_300L, "Cleo", 3_000L));
            var page = client.send(HttpRequest.newBuilder(bank.page()).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(page.body()).contains("<tr><td>Ann<td align=right>3,700").contains("Cleo");
        }
        try (var bank = open()) {
            bank.ask(new Pay(1, "back", 0, 300));
            bank.audit();
            await(bank, Map.of("Ann", 4_000L, "Bob", 3_000L, "Cleo", 3_000L));
        }
    }

    private static void await(DurableBank bank, Map<String, Long> sums) throws Exception {
        for (long end = System.nanoTime() + 60_000_000_000L; !bank.sums().read().equals(sums);) {
            assertThat(System.nanoTime()).as("%s", bank.sums().read()).isLessThan(end);
            Thread.sleep(10);
        }
    }

    @Test
    void anOrderThatComesTwiceIsPaidOnce() throws Exception {
        try (var bank = open()) {
            var first = bank.ask(new Pay(0, "rent", 1, 300));
            assertThat(bank.ask(new Pay(0, "food", 1, 100))).isEqualTo(new Balance(600, 2));
            assertThat(bank.ask(new Pay(0, "rent", 1, 300))).isEqualTo(first);
            assertThat(bank.audit()).isEqualTo(ALL);
            assertThat(bank.show(0)).isEqualTo(new Balance(600, 2));
        }
    }

    @Test
    void aPayerWithoutTheMoneyIsRefused() throws Exception {
        try (var bank = open()) {
            assertThat(bank.ask(new Pay(0, "house", 1, 1_001)))
                    .isEqualTo(new Refused("only 1000 cents are there, not 1001"));
            assertThat(bank.ask(new Pay(0, "theft", 1, -1))).isEqualTo(new Refused("nobody pays -1 cents"));
            assertThat(bank.show(0)).isEqualTo(new Balance(1_000, 0));
        }
    }

    @Test
    void whatAClosedAccountGetsComesBack() throws Exception {
        try (var bank = open()) {
            assertThat(bank.ask(new Pay(0, "gift", CLOSED, 300))).isEqualTo(new Balance(700, 1));
            assertThat(bank.audit()).isEqualTo(ALL);
            assertThat(bank.show(0)).isEqualTo(new Balance(1_000, 1));
            assertThat(bank.show(CLOSED)).isEqualTo(new Balance(1_000, 0));
        }
    }

    @Test
    void aStateIsMadeOfWhatHasHappened() {
        var state = State.NONE.apply(new BankAccount.Opened("Ann", 10)).apply(new BankAccount.Paid(2, 3))
                .apply(new BankAccount.Returned(2, 3)).apply(new BankAccount.Received(4, 5))
                .apply(new BankAccount.Closed());
        assertThat(state).isEqualTo(new State(false, 15, 1));
    }

    @Test
    void aFileThatCannotBeOpenedIsNamed() {
        var file = folder.resolve("nowhere").resolve("bank.db").toString();
        assertThatThrownBy(() -> DurableBank.main(new String[]{"--durable", file}))
                .isInstanceOf(UsageException.class).hasMessageContaining(file)
                .hasMessageContaining("--durable");
    }

    /** The moment is the number of lines that the process has printed. */
    @Test
    void aBankThatIsKilledAtRandomLosesNothing() throws Exception {
        long seed = System.nanoTime();
        var random = new SplittableRandom(seed);
        Map<Integer, Long> acknowledged = new HashMap<>();
        for (int kill = 1; kill <= KILLS; kill++) {
            kill(random.nextInt(2_000), acknowledged);
            try (var bank = open()) {
                var when = "after kill " + kill + ", seed " + seed;
                assertThat(bank.audit()).as("all money, %s", when).isEqualTo(ALL);
                for (int payer = 0; payer < CLOSED; payer++) {
                    long known = acknowledged.getOrDefault(payer, 0L);
                    // The payment that was being made may have been written as well.
                    assertThat(bank.show(payer).payments()).as("payments of %d, %s", payer, when)
                            .isBetween(known, known + 1);
                    acknowledged.put(payer, bank.show(payer).payments());
                }
                await(bank, IntStream.range(0, DurableBank.ACCOUNTS).boxed().collect(Collectors.groupingBy(
                        account -> List.of("Ann", "Bob", "Cleo").get(account % 3),
                        Collectors.summingLong(account -> bank.show(account).cents()))));
                assertThat(bank.show(CLOSED).cents()).as("the closed account, %s", when)
                        .isEqualTo(DurableBank.CENTS_EACH);
            }
        }
        assertThat(acknowledged.values().stream().mapToLong(each -> each).sum()).isPositive();
    }

    private void kill(int lines, Map<Integer, Long> acknowledged) throws Exception {
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), DurableBank.class.getName(),
                "--durable", folder.resolve("bank.db").toString(), "--seconds", "60", "--pause", "0")
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (var printed = process.inputReader()) {
            read(printed, lines + 1, acknowledged);
            // The stream stays open, so that the last lines can be read.
            process.toHandle().destroyForcibly();
            read(printed, Integer.MAX_VALUE, acknowledged);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static void read(BufferedReader printed, int lines, Map<Integer, Long> acknowledged)
            throws IOException {
        for (int i = 0; i < lines; i++) {
            var line = printed.readLine();
            if (line == null) {
                return;
            }
            var payment = PAYMENT.matcher(line);
            if (payment.matches()) {
                acknowledged.merge(Integer.parseInt(payment.group(2)), Long.parseLong(payment.group(1)),
                        Math::max);
            }
        }
    }
}
