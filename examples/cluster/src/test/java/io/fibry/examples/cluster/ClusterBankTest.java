package io.fibry.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.browser.Browser;
import io.fibry.browser.PageRules;
import io.fibry.browser.Tab;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three processes, and their pages in a real browser. With {@code fibry.look=FOLDER} it leaves pictures to look at. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClusterBankTest {
    private static final int KILLED = 137;

    @TempDir
    private Path folder;
    private Browser browser;
    private BankProcesses nodes;

    @BeforeEach
    void start() throws IOException {
        var found = Browser.start();
        assumeTrue(found.isPresent(), "no chromium or chrome is on the PATH, so the page is not tested");
        browser = found.get();
        nodes = new BankProcesses(folder);
    }

    private void startThree() throws IOException {
        for (int i = 0; i < 3; i++) {
            nodes.start();
        }
    }

    @AfterEach
    void end() throws IOException {
        if (browser != null) {
            nodes.close();
            browser.close();
        }
    }

    private Tab open(String node, int width) {
        var tab = browser.blank();
        tab.size(width, width > 600 ? 800 : 844, 1);
        tab.go(nodes.page(node));
        tab.until("document.readyState", "complete");
        return tab;
    }

    /** Waits until exactly these nodes are there, and are the homes of all slices. */
    private static void awaitHomes(Tab tab, String names) {
        tab.until(
                "[...document.querySelectorAll('.place:not(.gone)')].map(place => place.dataset.node).join('')",
                names);
        tab.until(
                "[...document.querySelectorAll('.slices')].map(group => [...new Set(group.dataset.homes)].sort().join('')).join()",
                names + "," + names);
    }

    private static long number(Tab tab, String selector) {
        return Long.parseLong(
                tab.see("document.querySelector('" + selector + "').textContent").replace(",", ""));
    }

    private static void turn(Tab tab, String to) {
        tab.until("document.querySelector('#turn').textContent", to.equals("Stop") ? "Start" : "Stop");
        tab.see("document.querySelector('#turn').click()");
        tab.until("document.querySelector('#turn').textContent", to);
    }

    private static void kill(Tab tab, String node) {
        tab.see("document.querySelector('[data-node=" + node + "] .kill').click()");
    }

    private static void say(Tab tab, String who, String text) {
        tab.see("document.querySelector('#who').value = " + Tab.text(who)
                + ", document.querySelector('#text').value = "
                + Tab.text(text) + ", document.querySelector('#say button').click()");
    }

    private static void awaitLine(Tab tab, String text) {
        tab.until("[...document.querySelectorAll('#lines li')].some(line => line.textContent.endsWith("
                + Tab.text(text)
                + "))", "true");
    }

    /** All cents that the accounts have: what was acknowledged, and perhaps what was told as uncertain. No other node asks. */
    private static void assertNothingLost(Tab tab) {
        turn(tab, "Start");
        // The last asks end, and the accounts are asked once more.
        tab.until("last.tick > " + (Long.parseLong(tab.see("last.tick")) + 5), "true");
        var cents = Math.round(Double.parseDouble(
                tab.see("[...document.querySelectorAll('.tiles b')].reduce((sum, each) => sum + +each.textContent, 0)"))
                * 100);
        var acknowledged = number(tab, "#acknowledged");
        assertThat(acknowledged).isPositive();
        assertThat(cents).isBetween(acknowledged,
                acknowledged + number(tab, "#uncertain") + number(tab, "#refused"));
        assertThat(number(tab, "#lost")).isZero();
    }

    @Test
    void aNodeThatIsKilledIsSeenAsLostAndTheOthersHaveItsAccounts() throws Exception {
        startThree();
        var tab = open("a", 1280);
        awaitHomes(tab, "abc");
        var phone = open("b", 390);
        awaitHomes(phone, "abc");
        PageRules.look(phone, "cluster-phone");

        say(phone, "Bob", "Hello <b>all</b>");
        awaitLine(tab, "Hello <b>all</b>");
        say(tab, "Ann", "Hello Bob");
        awaitLine(phone, "Hello Bob");

        turn(tab, "Stop");
        tab.until("last.load.acknowledged > 200", "true");
        PageRules.look(tab, "cluster");
        kill(tab, "c");
        assertThat(nodes.awaitEnd("c")).isEqualTo(KILLED);
        awaitHomes(tab, "ab");
        awaitHomes(phone, "ab");
        for (var each : List.of(tab, phone)) {
            each.until(
                    "[...document.querySelectorAll('#events .kind.bad')].some(kind => kind.textContent === 'lost'"
                            + " && kind.nextSibling.textContent.startsWith('node c'))",
                    "true");
            each.until("[...document.querySelectorAll('#events li')].some(row =>"
                    + " /moved\\d+ slices? of accounts: c → [ab]/.test(row.textContent))", "true");
        }
        var before = number(tab, "#acknowledged");
        tab.until("last.load.acknowledged > " + (before + 100), "true");
        PageRules.look(tab, "cluster-killed");
        assertNothingLost(tab);
        say(phone, "Bob", "Still here");
        awaitLine(tab, "Still here");
        awaitLine(tab, "Hello Bob");
    }

    @Test
    void aNodeThatIsAloneServesAndPagesOfOtherSitesCannotKillIt() throws Exception {
        nodes.start();
        try (var client = HttpClient.newHttpClient()) {
            var halt = HttpRequest.newBuilder(URI.create(nodes.page("a") + "halt?node=a"))
                    .POST(BodyPublishers.noBody());
            assertThat(client.send(halt.build(), BodyHandlers.ofString()).statusCode()).isEqualTo(403);
        }
        var tab = open("a", 390);
        tab.until("document.querySelector('#state').textContent", "1 node");
        awaitHomes(tab, "a");
        assertThat(tab.see("document.querySelector('#note').textContent"))
                .startsWith("This node is alone, and serves.");
        assertThat(tab.see("document.querySelectorAll('.place.gone:not(.left)').length")).as("never started")
                .isEqualTo("2");
        turn(tab, "Stop");
        tab.until("last.load.acknowledged > 20", "true");
        PageRules.look(tab, "cluster-alone");
    }

    @Test
    void aNodeThatIsFrozenLosesItsSlicesAndComesBack() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell freezes processes here");
        startThree();
        var tab = open("a", 1280);
        awaitHomes(tab, "abc");
        var frozen = open("c", 390);
        awaitHomes(frozen, "abc");
        tab.until("last.nodes.every(node => node.lease > 1500)", "true");
        turn(tab, "Stop");
        tab.until("last.load.acknowledged > 100", "true");
        tab.see("document.querySelector('[data-node=c] .freeze').click()");
        tab.until("document.querySelector('[data-node=c]').classList.contains('late')", "true");
        PageRules.look(tab, "cluster-frozen");
        awaitHomes(tab, "ab");
        frozen.until("document.querySelector('#state').textContent", "is silent");
        PageRules.look(frozen, "cluster-silent");
        awaitHomes(tab, "abc");
        frozen.until(
                "[...document.querySelectorAll('#events .kind')].some(kind => kind.textContent === 'cut off')",
                "true");
        frozen.until("document.querySelector('#state').textContent", "3 nodes");
        assertNothingLost(tab);
    }

    /** One after the other is killed and started again, while one asks: it is at last killed itself. */
    @Test
    @Tag("thorough")
    void nodesAreKilledAndComeBack() throws Exception {
        startThree();
        var tab = open("a", 1280);
        awaitHomes(tab, "abc");
        turn(tab, "Stop");
        for (var name : List.of("c", "b", "c", "b")) {
            kill(tab, name);
            assertThat(nodes.awaitEnd(name)).isEqualTo(KILLED);
            awaitHomes(tab, "abc".replace(name, ""));
            nodes.start();
            awaitHomes(tab, "abc");
        }
        assertNothingLost(tab);

        kill(tab, "c");
        assertThat(nodes.awaitEnd("c")).isEqualTo(KILLED);
        awaitHomes(tab, "ab");
        kill(tab, "a");
        assertThat(nodes.awaitEnd("a")).isEqualTo(KILLED);
        tab.until("document.querySelector('#state').textContent", "no connection");
        tab.until(
                "document.querySelector('#note').textContent.startsWith('The process of this page is gone')",
                "true");
    }
}
