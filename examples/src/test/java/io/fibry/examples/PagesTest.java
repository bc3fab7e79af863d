package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.browser.Browser;
import io.fibry.browser.PageRules;
import io.fibry.browser.Tab;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pages of the examples in a real browser. With {@code fibry.look=FOLDER} they leave pictures to look at. */
@Timeout(240)
class PagesTest {
    private static Browser browser;

    @BeforeAll
    static void start() throws IOException {
        var found = Browser.start();
        assumeTrue(found.isPresent(), "no chromium or chrome is on the PATH, so the pages are not tested");
        browser = found.get();
    }

    @AfterAll
    static void end() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    private static Tab open(int port) {
        var tab = browser.blank();
        tab.go("http://127.0.0.1:" + port + "/");
        tab.until("document.readyState", "complete");
        return tab;
    }

    private static String text(String id) {
        return "document.getElementById('" + id + "').textContent";
    }

    /** Beside the field there is place for the ears of those who are at its edge. */
    @Test
    void theMeadowHasALegendAndAnEdge() throws Exception {
        try (var game = Game.start(120, 8, Duration.ofMillis(20)); var page = game.page(0)) {
            var tab = open(page.port());
            tab.until("+" + text("returned") + " > 3", "true");
            assertThat(tab.see("document.querySelector('.legend').innerText")).contains("a rabbit",
                    "a fox", "grass", "lost", "came back");
            PageRules.look(tab, "game");
            tab.until("(() => { const c = document.getElementById('field'),"
                    + " at = (x, y) => c.getContext('2d').getImageData(x, y, 1, 1).data.join(),"
                    + " edge = at(1, 1); for (let x = 1; x < c.width; x += 7)"
                    + " if (at(x, 1) !== edge) return 'clipped at ' + x; return 'free' })()",
                    "free");
        }
    }

    /** The page is there, and its figures do not come. */
    @Test
    void aMeadowWithoutAWorldSaysSo() throws Exception {
        try (var game = Game.start(1, 1, Duration.ofDays(1)); var page = game.page(0)) {
            var tab = browser.blank();
            tab.before("EventSource = class { close() {} }");
            tab.go("http://127.0.0.1:" + page.port() + "/");
            tab.until("document.readyState", "complete");
            assertThat(tab.see("document.querySelector('main').innerText")).contains("No rabbit yet")
                    .doesNotContain("Foxes");
            PageRules.look(tab, "game-start");
        }
    }

    @Test
    void aGatewayWithoutADeviceSaysSo() throws Exception {
        try (var gateway = DeviceGateway.start(0, 10);
                var page = Devices.page(0, gateway);
                var simulator = new DeviceSimulator(gateway.port(), Duration.ofMillis(20))) {
            var tab = open(page.port());
            tab.until(text("online"), "0");
            tab.until(text("state"), "live");
            assertThat(tab.see(text("noDevice"))).isEqualTo("No device yet.");
            assertThat(tab.see("document.getElementById('grid').checkVisibility()")).isEqualTo("false");
            PageRules.look(tab, "devices-none");

            simulator.start(1);
            tab.until(text("online"), "1");
            gateway.commandAll("blink");
            tab.until(text("sent"), "to 1 command");
            tab.until("document.getElementById('chart').checkVisibility()", "true");
            PageRules.look(tab, "devices-one");
        }
    }

    /** A test of the rules: a page that keeps them all is spoiled in one way after the other. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "width| document.querySelector('header').style.width = '1400px'",
        "empty card| document.querySelector('.card:last-child').style.minHeight = '300px'",
        "empty card| document.querySelector('#noDevice').hidden = true",
        "clipped| document.querySelector('dl').style.cssText = 'height: 30px; overflow: hidden'",
        "clipped| document.querySelector('main').insertAdjacentHTML('beforeend', '<ol style=height:30px;overflow:auto>' + '<li>row</li>'.repeat(9) + '</ol>')",
        "legend| document.querySelector('#legend').hidden = false, document.querySelector('dl').style.marginTop = '800px'",
        "number| document.querySelector('#connected').textContent = 'of 1 devices'",
        "number| document.querySelector('#connected').textContent = 'of 5,001 device'",
        "unknown| document.querySelector('#online').textContent = '–'",
        "unknown| document.querySelector('#online').textContent = 0 / 0",
        "contrast| document.querySelector('h1').style.color = '#aaa'",
        "look| document.querySelector('button').style.borderRadius = '4px'",
        "look| document.querySelector('#state').remove()"})
    void eachRuleFindsAPageThatBreaksIt(String rule, String change) throws Exception {
        try (var gateway = DeviceGateway.start(0, 10); var page = Devices.page(0, gateway)) {
            var tab = open(page.port());
            tab.size(1280, 800, 1);
            tab.prefer("prefers-color-scheme", "light");
            tab.until(text("online"), "0");
            assertThat(PageRules.after(tab, "")).isEmpty();
            assertThat(PageRules.after(tab, change)).startsWith(rule + ": ");
        }
    }

    @Test
    void fiveHundredDevicesFitAPhone() throws Exception {
        try (var gateway = DeviceGateway.start(0, 1_000);
                var page = Devices.page(0, gateway);
                var simulator = new DeviceSimulator(gateway.port(), Duration.ofMillis(200))) {
            simulator.start(500);
            await().atMost(Duration.ofMinutes(1)).until(() -> gateway.snapshot().online() == 500);
            gateway.commandAll("blink");
            var tab = open(page.port());
            tab.until(text("online"), "500");
            tab.until(text("answered"), "500");
            tab.until(text("sent"), "to 500 commands");
            tab.until("parseInt(" + text("rate") + ".replace(',', '')) > 0", "true");
            PageRules.look(tab, "devices");
        }
    }
}
