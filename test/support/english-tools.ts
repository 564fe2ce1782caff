/** A kind of thing that a service stores: singular, plural, its operations, and its fields. */
export type ThingSpec = readonly [one: string, many: string, verbs: string, fields: string];

/** A unique tool: its name, its description, its parameters. */
export type OwnSpec = readonly [name: string, description: string, fields: string];

/** A service whose tools are in the catalogue. */
export interface ServiceSpec {
  readonly server: string;
  /** Display name. */
  readonly system: string;
  readonly style: "snake" | "camel" | "kebab";
  readonly things: readonly ThingSpec[];
  readonly own: readonly OwnSpec[];
}

const all = "create list get update delete search";
const plain = "create list get update delete";

/** Services whose descriptions are in English. */
export const englishServices: readonly ServiceSpec[] = [
  {
    server: "calendar",
    system: "the team calendar",
    style: "snake",
    things: [
      ["event", "events", all, "title, start, end, attendees, location"],
      ["room booking", "room bookings", plain, "room, start, end, purpose"],
    ],
    own: [
      [
        "find_free_slot",
        "Looks at the calendars of several people and proposes times when all of them are free.",
        "people, duration_minutes, between",
      ],
      [
        "respond_to_invite",
        "Accept, decline or tentatively accept an invitation on behalf of the user.",
        "invite_id, answer, comment",
      ],
      ["set_working_hours", "Stores the hours in which the user can be invited to anything.", "weekday, from, to"],
    ],
  },
  {
    server: "mail",
    system: "the mailbox",
    style: "snake",
    things: [
      ["draft", "drafts", plain, "to, subject, body"],
      ["mail filter", "mail filters", plain, "condition, action, folder"],
    ],
    own: [
      [
        "send_email",
        "Sends an email right away to one or more recipients, with optional attachments.",
        "to, cc, subject, body, attachments",
      ],
      [
        "search_inbox",
        "Searches received mail by sender, subject, words in the body and date.",
        "query, sender, since, before",
      ],
      [
        "reply_to_thread",
        "Answers the latest message of a conversation and keeps the quoted history.",
        "thread_id, body, reply_all",
      ],
      ["unsubscribe_sender", "Stops newsletters from a sender by following their List-Unsubscribe header.", "sender"],
    ],
  },
  {
    server: "gitforge",
    system: "the repository host",
    style: "snake",
    things: [
      ["issue", "issues", all, "repo, title, body, labels, assignees"],
      ["pull request", "pull requests", "create list get update search", "repo, title, head, base, draft"],
    ],
    own: [
      [
        "merge_pull_request",
        "Merges an open pull request by merge commit, squash or rebase, once its checks are green.",
        "repo, number, method",
      ],
      ["compare_branches", "Shows commits and changed files between two branches or tags.", "repo, base, head"],
      [
        "rerun_workflow",
        "Starts a failed CI pipeline once more, either all jobs or only those that failed.",
        "repo, run_id, failed_only",
      ],
      ["get_file_blame", "Tells who last touched each line of a source file and in which commit.", "repo, path, ref"],
    ],
  },
  {
    server: "tracker",
    system: "the issue tracker of the product team",
    style: "camel",
    things: [
      ["ticket", "tickets", all, "project, summary, description, priority, assignee"],
      ["sprint", "sprints", plain, "board, name, goal, start, end"],
    ],
    own: [
      [
        "transitionTicket",
        "Moves a ticket to another column of its workflow, such as In Progress or Done.",
        "ticket, status",
      ],
      ["logWork", "Books time that somebody spent on a ticket.", "ticket, minutes, comment, day"],
      [
        "estimateBacklog",
        "Sums up story points per epic and tells how many sprints they will take at the current velocity.",
        "board, epic",
      ],
    ],
  },
  {
    server: "chat",
    system: "the company chat",
    style: "snake",
    things: [
      ["channel", "channels", plain, "name, topic, members, private"],
      ["user group", "user groups", "create list update delete", "handle, members"],
    ],
    own: [
      [
        "post_message",
        "Posts a message to a channel or a person, with mentions and formatting.",
        "channel, text, thread",
      ],
      ["search_messages", "Searches what was said in channels that the user can see.", "query, from, channel, after"],
      ["pin_message", "Pins a message to the top of its channel.", "channel, message"],
      ["set_presence", "Sets the user's status text and emoji, and when it clears itself.", "text, emoji, until"],
      [
        "summarize_thread",
        "Gives the gist of a long discussion: decisions, open questions, who does what.",
        "channel, thread",
      ],
    ],
  },
  {
    server: "crm",
    system: "the CRM",
    style: "snake",
    things: [
      ["contact", "contacts", all, "name, email, phone, company"],
      ["deal", "deals", all, "title, amount, stage, contact_id, close_date"],
    ],
    own: [
      ["convert_lead", "Turns a qualified lead into an account, a contact and an opportunity.", "lead_id, owner"],
      ["merge_duplicates", "Joins two records of the same person into one and keeps the newer values.", "keep, drop"],
      [
        "log_call",
        "Notes a phone conversation with a customer: length, outcome, next step.",
        "contact_id, minutes, outcome",
      ],
    ],
  },
  {
    server: "billing",
    system: "the billing system",
    style: "snake",
    things: [
      ["invoice", "invoices", all, "customer, lines, currency, due_date"],
      ["subscription", "subscriptions", "create list get update cancel", "customer, plan, quantity, trial_days"],
    ],
    own: [
      ["refund_payment", "Gives a customer their money back, in full or in part.", "payment_id, amount, reason"],
      ["apply_coupon", "Applies a discount code to a customer or to a single invoice.", "customer, code"],
      ["send_payment_reminder", "Emails a customer whose bill is overdue.", "invoice_id, tone"],
      [
        "preview_proration",
        "Shows what switching plans in the middle of a period would cost.",
        "subscription, new_plan, on",
      ],
    ],
  },
  {
    server: "stockroom",
    system: "the warehouse",
    style: "camel",
    things: [
      ["product", "products", all, "sku, name, unit, price"],
      ["supplier", "suppliers", plain, "name, email, lead_days"],
    ],
    own: [
      ["adjustStock", "Corrects the counted quantity of an article after an inventory count.", "sku, quantity, reason"],
      ["transferStock", "Moves articles from one warehouse to another.", "sku, quantity, from, to"],
      [
        "reorderReport",
        "Tells which articles fall below their minimum and how many should be ordered.",
        "warehouse, days",
      ],
    ],
  },
  {
    server: "shipping",
    system: "the carrier network",
    style: "snake",
    things: [
      ["shipment", "shipments", plain, "from, to, weight, service"],
      ["return label", "return labels", "create get", "shipment, reason"],
    ],
    own: [
      ["track_parcel", "Tells where a package is now and when it should arrive.", "tracking_number, carrier"],
      ["quote_rates", "Compares what carriers charge for a package of this size and weight.", "from, to, weight, size"],
      ["schedule_pickup", "Orders a driver to collect packages at an address.", "address, date, window, count"],
      [
        "validate_address",
        "Checks that a postal address exists and returns its canonical spelling.",
        "street, city, postcode, country",
      ],
    ],
  },
  {
    server: "people",
    system: "the HR system",
    style: "snake",
    things: [
      ["employee", "employees", all, "name, title, team, manager, start_date"],
      ["leave request", "leave requests", "create list get cancel", "from, to, kind, note"],
    ],
    own: [
      ["approve_leave", "Decides on a request for time off.", "request_id, decision, comment"],
      ["get_org_chart", "Shows who reports to whom below a manager.", "manager, depth"],
      ["leave_balance", "Tells how many vacation days somebody has left this year.", "employee, year"],
      [
        "start_onboarding",
        "Begins the checklist for a new hire: accounts, laptop, first-day meetings.",
        "employee, template",
      ],
    ],
  },
  {
    server: "hiring",
    system: "the applicant tracking system",
    style: "kebab",
    things: [
      ["candidate", "candidates", all, "name, email, resume, source"],
      ["job posting", "job postings", plain, "title, location, description, salary"],
    ],
    own: [
      [
        "schedule-interview",
        "Arranges a conversation between a candidate and interviewers and sends everybody the details.",
        "candidate, interviewers, slot, kind",
      ],
      ["parse-resume", "Extracts education, employers and skills from a CV.", "file"],
      ["send-offer", "Emails the contract offer to a candidate for signing.", "candidate, salary, start_date"],
    ],
  },
  {
    server: "travel",
    system: "the travel desk",
    style: "snake",
    things: [
      ["trip", "trips", plain, "traveller, destination, from, to"],
      ["hotel reservation", "hotel reservations", "create list get cancel", "hotel, check_in, check_out, guests"],
    ],
    own: [
      [
        "search_flights",
        "Finds flights between two airports on a date, with prices and stops.",
        "origin, destination, date, cabin",
      ],
      ["flight_status", "Tells whether a flight is on time, delayed or cancelled, and its gate.", "flight, date"],
      [
        "visa_requirements",
        "Says whether a traveller of a nationality needs a visa for a country and how to get it.",
        "nationality, destination",
      ],
      ["rent_car", "Books a rental car at a location.", "location, from, to, class"],
    ],
  },
  {
    server: "dining",
    system: "the restaurant guide",
    style: "camel",
    things: [
      ["table reservation", "table reservations", "create get update cancel", "restaurant, time, guests"],
      ["dining review", "dining reviews", "create list delete", "restaurant, stars, text"],
    ],
    own: [
      [
        "findRestaurants",
        "Suggests places to eat nearby by cuisine, price and rating.",
        "near, cuisine, price, open_at",
      ],
      ["getMenu", "Gives the dishes of a restaurant with prices and allergens.", "restaurant"],
      ["orderDelivery", "Orders food to an address and pays with the stored card.", "restaurant, dishes, address"],
    ],
  },
  {
    server: "home",
    system: "the smart home",
    style: "snake",
    things: [
      ["scene", "scenes", "create list update delete activate", "name, devices"],
      ["automation", "automations", "create list update delete", "trigger, condition, action"],
    ],
    own: [
      ["set_light", "Switches a lamp on or off, dims it or gives it a colour.", "room, lamp, on, brightness, colour"],
      ["set_thermostat", "Sets the target temperature of a room.", "room, degrees, until"],
      ["lock_door", "Locks or unlocks a door and tells whether it is closed.", "door, locked"],
      ["camera_snapshot", "Takes a picture with one of the cameras and returns it.", "camera"],
      ["start_vacuum", "Sends the robot out to clean rooms.", "rooms, mode"],
    ],
  },
  {
    server: "music",
    system: "the music service",
    style: "camel",
    things: [
      ["playlist", "playlists", plain, "name, tracks, public"],
      ["podcast subscription", "podcast subscriptions", "create list delete", "feed"],
    ],
    own: [
      ["playTrack", "Starts playing a song, an album or an artist on a speaker.", "what, device, shuffle"],
      ["skipTrack", "Jumps to the next or the previous song.", "direction"],
      ["getLyrics", "Gives the words of a song, with times where known.", "title, artist"],
      ["identifySong", "Recognises which song a short recording is from.", "audio"],
    ],
  },
  {
    server: "photos",
    system: "the photo library",
    style: "snake",
    things: [
      ["album", "albums", plain, "name, cover, photos"],
      ["photo", "photos", "upload list get delete search", "file, taken_at, caption"],
    ],
    own: [
      ["remove_background", "Cuts out the subject of a picture and makes everything behind it transparent.", "image"],
      [
        "resize_image",
        "Scales or crops a picture to a width and height, and converts its format.",
        "image, width, height, format",
      ],
      ["face_groups", "Groups pictures by the persons that can be seen on them.", "album"],
      ["describe_image", "Writes alternative text for a picture, for people who cannot see it.", "image, language"],
    ],
  },
  {
    server: "video",
    system: "the video editor",
    style: "snake",
    things: [["clip", "clips", all, "file, title, tags"]],
    own: [
      ["trim_clip", "Cuts a video to the part between two times.", "clip, start, end"],
      ["burn_subtitles", "Renders a subtitle file into the picture.", "clip, srt, font"],
      ["make_thumbnail", "Grabs a frame of a video as a still image.", "clip, at"],
      ["convert_video", "Transcodes a video to another container, codec or bitrate.", "clip, format, bitrate"],
      ["transcribe_audio", "Turns speech of a recording into text with speaker labels.", "file, language"],
    ],
  },
  {
    server: "maps",
    system: "the map service",
    style: "camel",
    things: [["saved place", "saved places", "create list delete", "name, address, list"]],
    own: [
      ["geocodeAddress", "Gives latitude and longitude of an address.", "address"],
      ["reverseGeocode", "Gives the address at a pair of coordinates.", "lat, lng"],
      [
        "getDirections",
        "Plans a route by car, bike, foot or public transport, with travel time and turns.",
        "from, to, mode, depart_at",
      ],
      [
        "distanceMatrix",
        "Computes travel times and distances between many origins and destinations.",
        "origins, destinations, mode",
      ],
      ["trafficNow", "Tells how congested a road or an area is at the moment.", "area"],
    ],
  },
  {
    server: "air",
    system: "the environment service",
    style: "snake",
    things: [["sensor", "sensors", plain, "name, location, kind"]],
    own: [
      ["air_quality", "Gives particulate matter, ozone and the index of pollution for a place.", "place, hours"],
      ["pollen_forecast", "Tells people with allergies which pollen to expect in the next days.", "place, days"],
      ["tide_times", "Gives high and low water at a harbour.", "harbour, date"],
      ["sun_times", "Computes sunrise, sunset and twilight for a date and place.", "place, date"],
      ["earthquake_feed", "Returns recent earthquakes above a magnitude.", "magnitude, since"],
    ],
  },
  {
    server: "markets",
    system: "the market data service",
    style: "snake",
    things: [["watchlist", "watchlists", plain, "name, symbols"]],
    own: [
      ["stock_quote", "Gives the latest price, change and volume of a share.", "symbol"],
      ["price_history", "Returns daily open, high, low and close of a share between two dates.", "symbol, from, to"],
      ["convert_currency", "Converts an amount of money at today's or a past exchange rate.", "amount, from, to, date"],
      ["earnings_calendar", "Lists which companies report their quarterly results, and when.", "from, to"],
      ["company_profile", "Describes a listed company: sector, staff, market capitalisation, key ratios.", "symbol"],
    ],
  },
  {
    server: "bank",
    system: "the bank",
    style: "camel",
    things: [
      ["standing order", "standing orders", plain, "iban, amount, interval"],
      ["payee", "payees", "create list delete", "name, iban"],
    ],
    own: [
      [
        "transferMoney",
        "Sends money from one of the user's accounts to another account.",
        "from, iban, amount, reference",
      ],
      ["accountBalance", "Tells how much money is in an account.", "account"],
      ["listTransactions", "Shows what was paid and received on an account.", "account, from, to, min_amount"],
      ["blockCard", "Freezes a lost or stolen card at once.", "card, reason"],
      ["exportStatement", "Downloads the statement of a month as PDF or CSV.", "account, month, format"],
    ],
  },
  {
    server: "insurance",
    system: "the insurance portal",
    style: "snake",
    things: [
      ["claim", "claims", "create list get update search", "policy, date, damage, photos"],
      ["policy", "policies", "list get update cancel", "kind, holder, premium"],
    ],
    own: [
      ["quote_premium", "Calculates what a cover would cost for a person or an object.", "kind, age, sum"],
      ["find_garage", "Finds a partner workshop that repairs cars without paperwork for the customer.", "near"],
    ],
  },
  {
    server: "legal",
    system: "the contract archive",
    style: "snake",
    things: [
      ["contract", "contracts", all, "title, parties, effective, expires"],
      ["clause", "clauses", "create list get search", "topic, text, jurisdiction"],
    ],
    own: [
      [
        "request_signature",
        "Sends a document to people who have to sign it electronically, in order.",
        "document, signers, order",
      ],
      ["redline", "Marks what differs between two versions of an agreement.", "old, new"],
      ["find_expiring", "Lists agreements that end or renew themselves soon.", "within_days"],
    ],
  },
  {
    server: "clinic",
    system: "the practice",
    style: "camel",
    things: [
      ["patient", "patients", all, "name, birth_date, insurance_number"],
      ["prescription", "prescriptions", "create list get cancel", "patient, drug, dose, days"],
    ],
    own: [
      ["bookAppointment", "Gives a patient a time with a doctor.", "patient, doctor, time, reason"],
      [
        "getLabResults",
        "Returns blood values and other findings of a patient, with reference ranges.",
        "patient, since",
      ],
      ["checkInteractions", "Warns about drugs that should not be taken together.", "drugs"],
    ],
  },
  {
    server: "fitness",
    system: "the fitness app",
    style: "snake",
    things: [
      ["workout", "workouts", plain, "kind, minutes, distance"],
      ["meal", "meals", "create list delete", "food, grams, time"],
    ],
    own: [
      ["log_weight", "Stores what the user weighs today.", "kilograms, date"],
      ["sleep_report", "Shows how long and how deeply the user slept over the last nights.", "nights"],
      ["heart_rate_zones", "Tells how many minutes of a training were spent in each pulse zone.", "workout"],
      ["nutrition_facts", "Gives calories, protein, fat and carbohydrates of a food.", "food, grams"],
    ],
  },
  {
    server: "school",
    system: "the learning platform",
    style: "snake",
    things: [
      ["course", "courses", all, "title, teacher, term"],
      ["assignment", "assignments", plain, "course, title, due, points"],
    ],
    own: [
      ["grade_submission", "Gives points and feedback for what a student handed in.", "submission, points, feedback"],
      ["enrol_student", "Adds a student to a class.", "course, student"],
      ["generate_quiz", "Makes multiple-choice questions about a topic or a text.", "topic, count, level"],
      ["attendance_sheet", "Shows who was present and who was missing in lessons.", "course, from, to"],
    ],
  },
  {
    server: "cms",
    system: "the website",
    style: "kebab",
    things: [
      ["article", "articles", all, "title, body, author, tags"],
      ["redirect", "redirects", "create list delete", "from, to, status"],
    ],
    own: [
      ["publish-article", "Puts a finished article online, now or at a time.", "article, at"],
      [
        "moderate-comment",
        "Approves, hides or marks as spam what a reader wrote under an article.",
        "comment, decision",
      ],
      ["check-broken-links", "Crawls the site and reports addresses that no longer answer.", "start, depth"],
      ["purge-cache", "Makes the CDN forget stored copies of pages.", "paths"],
    ],
  },
  {
    server: "ads",
    system: "the advertising account",
    style: "snake",
    things: [
      ["campaign", "campaigns", "create list get update pause", "name, budget, start, end, audience"],
      ["audience", "audiences", plain, "name, rules"],
    ],
    own: [
      [
        "campaign_performance",
        "Reports impressions, clicks, conversions and cost per campaign and day.",
        "campaign, from, to",
      ],
      ["keyword_ideas", "Proposes search terms to bid on, with volume and competition.", "seed, country"],
      ["split_test", "Starts an A/B test between two versions of an advertisement.", "ad_a, ad_b, days"],
    ],
  },
  {
    server: "insights",
    system: "the product analytics",
    style: "snake",
    things: [["dashboard", "dashboards", plain, "name, charts, filters"]],
    own: [
      ["funnel", "Shows how many users get from one step of a flow to the next.", "steps, from, to, segment"],
      ["retention", "Shows how many users come back after days or weeks, by cohort.", "cohort, period"],
      ["query_events", "Counts tracked events, grouped by a property.", "event, group_by, from, to"],
      ["active_users", "Gives daily, weekly and monthly active users.", "from, to"],
      ["feature_flag", "Switches a feature on for a share of users.", "flag, percent, segment"],
    ],
  },
  {
    server: "postgres",
    system: "the Postgres database",
    style: "snake",
    things: [["database role", "database roles", "create list update delete", "name, grants"]],
    own: [
      ["run_query", "Executes a read-only SQL statement and returns the rows.", "sql, parameters, limit"],
      ["execute_statement", "Executes SQL that changes data or schema, inside a transaction.", "sql, parameters"],
      ["describe_table", "Gives columns, types, keys and indexes of a table.", "table"],
      ["explain_plan", "Shows how the database would execute a query and where the time goes.", "sql, analyze"],
      ["backup_database", "Writes a dump of the whole database to object storage.", "target"],
      ["list_slow_queries", "Lists statements that took longest lately.", "min_ms"],
    ],
  },
  {
    server: "kube",
    system: "the Kubernetes cluster",
    style: "snake",
    things: [
      ["deployment", "deployments", plain, "name, image, replicas, namespace"],
      ["config map", "config maps", plain, "name, data, namespace"],
    ],
    own: [
      ["scale_deployment", "Changes how many copies of a workload run.", "deployment, replicas"],
      ["pod_logs", "Prints the latest output lines of a container.", "pod, container, lines, since"],
      ["rollback_deployment", "Goes back to the previous revision of a workload.", "deployment, revision"],
      ["drain_node", "Evicts everything from a machine so that it can be serviced.", "node, grace"],
    ],
  },
  {
    server: "objects",
    system: "the object storage",
    style: "kebab",
    things: [
      ["bucket", "buckets", plain, "name, region, versioning"],
      ["stored object", "stored objects", "list get delete", "bucket, key"],
    ],
    own: [
      ["upload-object", "Puts a local file into a bucket.", "bucket, key, file"],
      ["share-link", "Makes a temporary address under which anybody can download an object.", "bucket, key, expires"],
      ["sync-folder", "Mirrors a local folder to a bucket, transferring only what changed.", "folder, bucket, delete"],
      ["storage-usage", "Tells how much space each bucket takes and what it costs.", "month"],
    ],
  },
  {
    server: "watch",
    system: "the monitoring",
    style: "snake",
    things: [
      ["alert rule", "alert rules", plain, "metric, threshold, receivers"],
      ["incident", "incidents", "create list get update", "title, severity, service"],
    ],
    own: [
      ["query_metrics", "Returns a time series of CPU, memory, latency or any other metric.", "query, from, to, step"],
      ["silence_alert", "Mutes notifications of an alert for a while.", "alert, minutes, reason"],
      [
        "search_logs",
        "Searches log lines of all services by words, level and time.",
        "query, service, level, from, to",
      ],
      ["who_is_on_call", "Tells who has duty now and who is next.", "schedule"],
      ["trace_request", "Shows the spans of one request across services, with durations.", "trace_id"],
    ],
  },
  {
    server: "domains",
    system: "the domain registrar",
    style: "camel",
    things: [["DNS record", "DNS records", plain, "zone, type, name, value, ttl"]],
    own: [
      ["checkDomain", "Tells whether a domain name is still free and what it costs.", "domain"],
      ["renewCertificate", "Gets a new TLS certificate before the old one runs out.", "host"],
      ["whoisLookup", "Shows to whom a domain is registered and until when.", "domain"],
      ["pingHost", "Checks whether a host answers and how long it takes.", "host, count"],
    ],
  },
  {
    server: "language",
    system: "the translation service",
    style: "snake",
    things: [["glossary", "glossaries", plain, "name, source, target, terms"]],
    own: [
      [
        "translate_text",
        "Translates a text into another language and keeps its formatting.",
        "text, target, source, glossary",
      ],
      ["detect_language", "Tells in which language a text is written.", "text"],
      ["check_grammar", "Finds spelling and grammar mistakes and proposes corrections.", "text, language"],
      ["speak_text", "Reads a text aloud and returns the audio.", "text, voice, speed"],
      ["define_word", "Gives meanings, pronunciation and examples of a word.", "word, language"],
    ],
  },
  {
    server: "pdf",
    system: "the PDF toolbox",
    style: "snake",
    things: [],
    own: [
      ["merge_pdfs", "Joins several PDF files into one.", "files"],
      ["split_pdf", "Takes pages out of a PDF into new files.", "file, ranges"],
      ["ocr_scan", "Recognises the text of a scanned document.", "file, languages"],
      ["fill_pdf_form", "Writes values into the form fields of a PDF.", "file, fields"],
      ["protect_pdf", "Encrypts a PDF with a password.", "file, password"],
      ["compress_pdf", "Makes a PDF smaller by recoding its images.", "file, quality"],
      ["pdf_to_word", "Converts a PDF into an editable document.", "file"],
    ],
  },
  {
    server: "sheets",
    system: "the spreadsheet",
    style: "camel",
    things: [["worksheet", "worksheets", plain, "spreadsheet, title"]],
    own: [
      ["readRange", "Reads cells of a spreadsheet.", "spreadsheet, range"],
      ["appendRows", "Adds rows at the end of a sheet.", "spreadsheet, sheet, rows"],
      ["setFormula", "Puts a formula into a cell and gives its result.", "spreadsheet, cell, formula"],
      ["pivotTable", "Groups and aggregates rows into a cross table.", "spreadsheet, rows, columns, values"],
      ["drawChart", "Makes a line, bar or pie chart of a range.", "spreadsheet, range, kind"],
    ],
  },
  {
    server: "browser",
    system: "the browser",
    style: "snake",
    things: [["bookmark", "bookmarks", "create list delete search", "url, title, folder"]],
    own: [
      ["open_page", "Opens an address in a new tab.", "url"],
      ["click_element", "Clicks a button or a link of the page.", "selector"],
      ["type_text", "Types into an input field of the page.", "selector, text"],
      ["take_screenshot", "Takes an image of the page as it is seen.", "full_page"],
      ["download_file", "Saves what an address offers for download.", "url, folder"],
    ],
  },
  {
    server: "guard",
    system: "the identity provider",
    style: "snake",
    things: [
      ["user account", "user accounts", all, "email, name, groups"],
      ["API key", "API keys", "create list revoke", "name, scopes, expires"],
    ],
    own: [
      ["reset_password", "Sends somebody a link to choose a new password.", "email"],
      ["enforce_mfa", "Requires a second factor at sign-in for a group.", "group, method"],
      ["audit_log", "Shows who signed in or changed what, from where.", "user, from, to"],
      ["scan_dependencies", "Looks for known vulnerabilities in the packages of a project.", "lockfile"],
    ],
  },
];
