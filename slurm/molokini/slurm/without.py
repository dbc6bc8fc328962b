"""Parameters of ``slurm.conf`` that change no schedule here, and why: by reason, in lower case.

Names of the manual page of release 26.05, and of earlier ones since 20.11.
"""

_BY_REASON = {
    "how daemons run and are reached; nothing is started here": """
        slurmctldhost controlmachine controladdr backupcontroller backupaddr slurmctldaddr slurmctldport
        slurmdport slurmuser slurmduser slurmctldpidfile slurmdpidfile slurmdspooldir statesavelocation
        slurmctldtimeout slurmdtimeout slurmctldparameters slurmdparameters authtype authalttypes
        authaltparameters credtype cryptotype communicationparameters srunportrange treewidth tcptimeout
        batchstarttimeout getenvtimeout returntoservice slurmctldprimaryonprog slurmctldprimaryoffprog
        maxtaskspernode pluginDir plugstackconfig routeplugin slurmsc_port hashplugin certmgrtype
        certgentype tlstype tlsparameters httpparsertype urlparsertype serializertype
        certmgrparameters certgenparameters sackdport responsecachetimeout keepalivetime
        dataparserparameters dataparser_parameters namespacetype namespaceparameters
        metricstype metricsauth metricsparameters httpport disablehttp
        clusternamehash jobcompparams2 maxdbdmsgs dependencyparameters federationparameters fedparameters
        prioritysitefactorbootstrap sluid slurmrestdparameters httpparameters
        rebootprogram resumeprogram suspendprogram suspendexcnodes suspendexcparts suspendexcstates
        suspendrate resumerate suspendtime suspendtimeout resumetimeout resumefailprogram
        powerparameters powerplugin powersaveInterval maxnodecount interactivestepoptions slurmdsyslogdebug
        slurmctldsyslogdebug unkillablesteptimeout unkillablestepprogram x11parameters mcsparameters mcsplugin
        healthcheckprogram healthcheckinterval healthchecknodestate inactivelimit waittime
        launchparameters launchtype mpidefault mpiparams switchtype switchparameters vsizefactor
        usepam taskplugin taskpluginparam proctracktype gpufreqdef cpufreqdef cpufreqgovernors
        jobacctgatherfrequency jobacctgathertype jobacctgatherparams acctgatherenergytype
        acctgatherfilesystemtype acctgatherinfinibandtype acctgatherinterconnecttype acctgathernodefreq
        acctgatherprofiletype extsensorstype extsensorsfreq coresspecplugin corespecplugin nodefeaturesplugins
        jobcontainertype jobfileappend propagateprioprocess propagateresourcelimits
        propagateresourcelimitsexcept preptype prepplugins prepparameters sbcastparameters bcastexclude
        bcastparameters requeueexit requeueexithold kilonbadexit killonbadexit overmemorykill memlimitenforce
        jobcredentialprivatekey jobcredentialpublickey gridmode minimum_job_age bootprogram
        tmpfs tmpdisk trackwckey disablerootjobs privatedata publicdata
        mailprog maildomain unlockedhosts allowspecresourcesusage restrictedcorespergpu tracksteps
        licenseparameters burstbufferparameters topologyparam2""",
    "prologs and epilogs take no time here": """
        prolog prologslurmctld epilogslurmctld srunprolog srunepilog taskprolog taskepilog
        prologepilogtimeout prologtimeout epilogtimeout""",
    "what is logged changes no schedule": """
        slurmctlddebug slurmddebug slurmctldlogfile slurmdlogfile slurmschedlogfile slurmschedloglevel
        schedlogfile schedloglevel schedulerlog logtimeformat debugflags""",
    "where accounting goes changes no schedule": """
        accountingstoragetype accountingstoragehost accountingstorageport accountingstorageuser
        accountingstoragepass accountingstorageloc accountingstoragebackuphost accountingstorageexternalhost
        accountingstorageparameters accountingstoreflags accountingstoragejobcomment jobcomptype jobcomphost
        jobcomploc jobcompparams jobcomppass jobcompport jobcompuser defaultstoragetype defaultstoragehost
        defaultstorageloc defaultstoragepass defaultstorageport defaultstorageuser acct_gather""",
    "what scripts change at submission is in the log already": """
        jobsubmitplugins clifilterplugins clifilterparameters luaparameters""",
    "steps are not simulated": "maxstepcount stepmgr interactivestep",
    "job numbers come from the log": "firstjobid maxjobid",
    "burst buffers are not simulated": "burstbuffertype",
    "federations are not simulated": "federation fedrequeueafternodefail",
    "site factors are in no log": "prioritysitefactorplugin prioritysitefactorparameters",
    "nodes are not wired in a tree": "topologyparam",
    "GPUs bring no CPUs and no memory with them here": "jobdefaults",
    "addresses of nodes are of no use here": "downnodes_reason frontendname",
    "it has been without effect for many releases": """
        cacheGroups checkpointtype jobcheckpointdir salloc_default_command sallocdefaultcommand schedulerport
        schedulerrootfilter fastschedule groupupdateforce groupupdatetime schedulerinit fairsharedampening
        accountingstoreJobComment slurmctldplugstack priorityflagsold""",
    "it is what a controller answered, and no parameter": """
        slurm_version boot_time slurm_conf hash_val next_job_id slurmctld_host nodefeatures suspendexcstate
        slurmctldhost[0] slurmctldhost[1] slurmctldhost[2] slurmctldhost[3]
        batch_start_timeout cgroupplugin cgroup_plugin allowedramspace allowedswapspace constraincores
        constraindevices
        constrainramspace constrainswapspace enablecontrollers ignoresystemd ignoresystemdonfailure
        maxrampercent maxswappercent memoryswappiness minramspace cgroupmountpoint cgroupautomount
        enableextracontrollers systemdtimeout signalchildrenprocesses
        directmodules maxstepcounts resvprolog resvepilog""",
}

WITHOUT_EFFECT = {name.lower(): why for why, names in _BY_REASON.items() for name in names.split()}
"""Why each is without effect, by its name in lower case."""
